import { nextFor } from './decide-claims.ts'
import type { Author } from './event.ts'
import type { Member } from './member.ts'
import { nameKey } from './name.ts'
import { planGate } from './plan-gate.ts'
import type { Request } from './request.ts'
import { heldBy, type TeamState, unreadOf } from './state.ts'

/**
 * What is due for a teammate that does not work right now, the first that applies:
 *
 * leave   it agreed to stop
 * agree   it is asked to stop and owes nothing: its runtime answers for it
 * hear    it has mail
 * go on   it holds a task
 * claim   there is a task for it
 * rest    nothing; that costs nothing either
 */
export type NextStep = 'leave' | 'agree' | 'hear' | 'go on' | 'claim' | 'rest'

export function nextStep(state: TeamState, member: Member): NextStep {
  if (member.status === 'stopping') return 'leave'
  const held = heldBy(state, member.name)
  const unread = unreadOf(state, member.name)
  const asked = shutdownOf(state, member)
  if (asked && !held && unread.every(({ message, external }) => !external && message.request_id === asked.id))
    return 'agree'
  if (unread.length > 0) return 'hear'
  if (held) return planGate(state, member) === 'pending' ? 'rest' : 'go on'
  return nextFor(state, member) ? 'claim' : 'rest'
}

/** Does this life of a member wait for somebody's leave? */
export function isAsking(state: TeamState, { name, generation }: Author): boolean {
  for (const request of state.requests.values()) {
    if (request.kind !== 'permission' || request.state !== 'pending') continue
    if (nameKey(request.from) === nameKey(name) && request.fromGeneration === generation) return true
  }
  return false
}

/** The open request by which this member is asked to stop, if it is. */
export function shutdownOf(state: TeamState, { name, generation }: Member): Request | undefined {
  for (const request of state.requests.values()) {
    if (request.kind !== 'shutdown' || request.state !== 'pending') continue
    if (nameKey(request.to) === nameKey(name) && request.toGeneration === generation) return request
  }
  return undefined
}
