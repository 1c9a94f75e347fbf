import { blockedTasks } from './board.ts'
import type { TeamState } from './state.ts'
import type { TaskId } from './task.ts'

/** How many tasks have still to be done one after the other, from this one to the last that waits for it. */
export function remainingPath(state: TeamState, id: TaskId, known = new Map<TaskId, number>()): number {
  const before = known.get(id)
  if (before !== undefined) return before
  const task = state.tasks.get(id)
  if (!task || task.status === 'completed') return 0
  const behind = blockedTasks(state, id).map((other) => remainingPath(state, other, known))
  const length = 1 + Math.max(0, ...behind)
  known.set(id, length)
  return length
}
