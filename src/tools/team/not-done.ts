import { refusalForModel } from '../../prompts/refusals.ts'
import { TeamError } from '../../team/errors.ts'
import { isRefusal, type Refusal } from '../../team/refusal.ts'

/** A call that was not carried out; the model reads why, and what to do instead. */
export class NotDone extends TeamError {
  readonly code = 'not_done'
}

/** Throws a refusal as the model reads it. */
export function granted<T extends object>(answer: T | Refusal): T {
  if (isRefusal(answer)) throw new NotDone(refusalForModel(answer))
  return answer
}
