import { TeamError } from '../../team/errors.ts'
import { isRefusal, type Refusal } from '../../team/refusal.ts'
import { inToolWords } from './tool-words.ts'

/** A call that was not carried out; the model reads why, and what to do instead. */
export class NotDone extends TeamError {
  readonly code = 'not_done'
}

/** What a team answered; a refusal is thrown, in words for somebody who has tools and no command line. */
export function granted<T extends object>(answer: T | Refusal): T {
  if (isRefusal(answer)) throw new NotDone(inToolWords(answer.message))
  return answer
}
