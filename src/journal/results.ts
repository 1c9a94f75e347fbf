import { type Answer, answer } from '../team/answers/answer.ts'
import type { Applied } from '../team/apply.ts'
import { type Refusal, refuse } from '../team/refusal.ts'
import type { TeamState } from '../team/state.ts'
import type { PendingWrite, Result } from './batch.ts'
import { foldTo } from './fold/fold.ts'
import type { Log, LogRecord } from './log/store.ts'

/** The result of a write whose record was folded: `state` is the state right behind it. */
export function resultOf({ what, id, part }: PendingWrite, applied: Applied, state: TeamState): Result {
  const own = part ? { ...applied, events: applied.events.slice(...part) } : applied
  if ('command' in what) return answer(state, what.command, id, own)
  return 'message' in what ? applied.effects.filter((effect) => effect.id === id) : applied.effects
}

/** The result that the first record with the id of this write had. Reads the journal from its beginning. */
export async function firstResult(log: Log, { id, what }: PendingWrite): Promise<Result> {
  const first = await foldTo(log, id)
  if (!first) throw new Error(`The record ${id} was accepted but cannot be found.`)
  const { record } = first.recorded
  if ('facts' in what) return first.applied.effects
  if ('message' in what) return record.command === undefined ? first.applied.effects : idTaken(record)
  return record.command === what.command.type ? answer(first.state, what.command, id, first.applied) : idTaken(record)
}

function idTaken({ id, command = 'a message' }: LogRecord): Refusal {
  return refuse('command_id_taken', { id, usedFor: String(command) })
}

/** A claim that found no task: it promises nothing that a power cut could take back. */
export function isEmpty({ tasks }: Answer): boolean {
  return tasks?.length === 0
}

/** Did the caller choose the id? Then the write may have been carried out before. */
export function isRepeatable({ what }: PendingWrite): boolean {
  return 'mayRepeat' in what && what.mayRepeat
}

/** What a write is about, for the message about lost records. */
export function describeWrite({ what }: PendingWrite): string {
  if ('command' in what) return what.command.type
  return 'message' in what ? `message to ${what.message.to}` : what.facts.map(({ type }) => type).join(', ')
}
