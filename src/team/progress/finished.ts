import { nameKey } from '../name.ts'
import { type TeamState, unreadOf } from '../state.ts'
import { wakesLead } from './lead-wakes.ts'

/** Every task ended, no request is open, and no unread mail of the lead is worth a turn at once. */
export function isFinished(state: TeamState): boolean {
  for (const { status } of state.tasks.values()) if (status === 'pending' || status === 'in_progress') return false
  for (const request of state.requests.values()) if (request.state === 'pending') return false
  return unreadOf(state, 'lead').every((unread) => !wakesLead(state, unread, 'together'))
}

/** This member holds no task and has no unread mail. */
export function owesNothing(state: TeamState, name: string): boolean {
  for (const task of state.tasks.values())
    if (task.status === 'in_progress' && nameKey(task.owner) === nameKey(name)) return false
  return unreadOf(state, name).length === 0
}
