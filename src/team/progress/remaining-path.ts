import { blockedTasks } from '../board/board.ts'
import type { TeamState } from '../state.ts'
import type { TaskId } from '../task.ts'

/** Longer paths count as this long: tasks that far away do not matter for the choice of the next one. */
export const MAX_REMAINING_PATH = 1000

/**
 * How many tasks have still to be done one after the other, from this one to the last that waits for it. Lengths are
 * kept for as long as no edge changes: completing a task changes only its own, which is 0 from then on.
 */
export function remainingPath(state: TeamState, id: TaskId): number {
  const lengths = lengthsOf(state)
  const path: Step[] = []
  const visit = (task: TaskId) => {
    if (!isOpen(state, task) || lengths.has(task)) return
    path.push({ task, rest: [...blockedTasks(state, task)], longest: 0 })
    // A damaged journal may hold a cycle: a task on the current path is not entered again.
    lengths.set(task, 1)
  }
  visit(id)
  for (let top = path.at(-1); top; top = path.at(-1)) {
    const next = top.rest.pop()
    if (next === undefined) {
      path.pop()
      const length = Math.min(1 + top.longest, MAX_REMAINING_PATH)
      lengths.set(top.task, length)
      const before = path.at(-1)
      if (before) before.longest = Math.max(before.longest, length)
    } else if (lengths.has(next)) {
      if (isOpen(state, next)) top.longest = Math.max(top.longest, lengths.get(next) ?? 0)
    } else visit(next)
  }
  return isOpen(state, id) ? (lengths.get(id) ?? 0) : 0
}

/** A task on the current path, with its dependents that were not visited yet. */
interface Step {
  readonly task: TaskId
  readonly rest: TaskId[]
  longest: number
}

function isOpen({ tasks }: TeamState, id: TaskId): boolean {
  const task = tasks.get(id)
  return task !== undefined && task.status !== 'completed'
}

/** By the shape of the board, which is another value after every change of an edge. */
const known = new WeakMap<object, Map<TaskId, number>>()

function lengthsOf({ index }: TeamState): Map<TaskId, number> {
  const shape = index.shape.get()
  const lengths = known.get(shape) ?? new Map<TaskId, number>()
  known.set(shape, lengths)
  return lengths
}
