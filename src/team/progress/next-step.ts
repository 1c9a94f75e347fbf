import { nextFor } from '../board/decide-claims.ts'
import type { Author } from '../event.ts'
import type { Member } from '../members/member.ts'
import { planGate } from '../members/plan-gate.ts'
import { shutdownOf } from '../members/shutdown-request.ts'
import { nameKey } from '../name.ts'
import { heldBy, type TeamState, unreadOf } from '../state.ts'

/**
 * What is due for a teammate that does not work right now, the first that applies:
 *
 * stop              it agreed to stop
 * approve_shutdown  it is asked to stop and owes nothing: its runtime answers for it
 * read_mail         it has mail
 * continue_task     it holds a task
 * claim             there is a task for it
 * rest              nothing; that costs no tokens
 */
export type NextStep = 'stop' | 'approve_shutdown' | 'read_mail' | 'continue_task' | 'claim' | 'rest'

export function nextStep(state: TeamState, member: Member): NextStep {
  if (member.status === 'stopping') return 'stop'
  const held = heldBy(state, member.name)
  const unread = unreadOf(state, member.name)
  const asked = shutdownOf(state, member)
  if (asked && !held && unread.every(({ message, external }) => !external && message.request_id === asked.id))
    return 'approve_shutdown'
  if (unread.length > 0) return 'read_mail'
  if (held) return planGate(state, member) === 'pending' ? 'rest' : 'continue_task'
  return nextFor(state, member) ? 'claim' : 'rest'
}

/** Does this generation of a member wait for a permission? */
export function isAsking(state: TeamState, { name, generation }: Author): boolean {
  for (const request of state.requests.values()) {
    if (request.kind !== 'permission' || request.state !== 'pending') continue
    if (nameKey(request.from) === nameKey(name) && request.fromGeneration === generation) return true
  }
  return false
}
