import { nameKey } from '../name.ts'
import { type TeamState, unreadOf } from '../state.ts'

/** Every task ended, no request is open, and the lead has no unread mail but idle notifications and results of tasks. */
export function isFinished(state: TeamState): boolean {
  for (const { status } of state.tasks.values()) if (status === 'pending' || status === 'in_progress') return false
  for (const request of state.requests.values()) if (request.state === 'pending') return false
  return unreadOf(state, 'lead').every(({ message: { type, task }, external }) => {
    const isTaskResult = type === 'result' && task !== undefined
    return !external && (type === 'idle_notification' || isTaskResult)
  })
}

/** This member holds no task and has no unread mail. */
export function owesNothing(state: TeamState, name: string): boolean {
  for (const task of state.tasks.values())
    if (task.status === 'in_progress' && nameKey(task.owner) === nameKey(name)) return false
  return unreadOf(state, name).length === 0
}
