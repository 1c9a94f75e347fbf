import { openDependencies } from '../team/board/board.ts'
import type { TeamState } from '../team/state.ts'
import { compareIds, type Task } from '../team/task.ts'

/** One task in the drawn board. */
export interface BoardRow {
  readonly id: string
  readonly subject: string
  readonly status: Task['status']
  readonly owner: string | null
  readonly role: string | null
  /** The step in which it can run at the earliest, from 0. */
  readonly layer: number
  /** What it waits for that is on the board, finished or not. */
  readonly after: readonly string[]
  /** Those of them that are open. */
  readonly waitsFor: readonly string[]
}

/** The tasks in an order in which each stands below what it waits for. */
export function boardRows(state: TeamState): BoardRow[] {
  const tasks = [...state.tasks.values()].sort((a, b) => compareIds(a.id, b.id))
  const layers = layersOf(tasks)
  return tasks
    .map(
      (task): BoardRow => ({
        id: task.id,
        subject: task.subject,
        status: task.status,
        owner: task.status === 'pending' ? task.assignee : task.owner,
        role: task.role,
        layer: layers.get(task.id) ?? 0,
        after: task.blockedBy.filter((id) => state.tasks.has(id) || state.plans.has(id)),
        waitsFor: openDependencies(state, task),
      }),
    )
    .sort((a, b) => a.layer - b.layer || compareIds(a.id, b.id))
}

/** Without recursion: chains may be long. A whole plan that a task waits for adds no step of its own. */
function layersOf(tasks: readonly Task[]): ReadonlyMap<string, number> {
  const layers = new Map<string, number>()
  const open = new Map(tasks.map((task) => [task.id, 0]))
  const dependents = new Map<string, string[]>()
  for (const { id, blockedBy } of tasks) {
    for (const before of blockedBy) {
      if (!open.has(before)) continue
      open.set(id, open.get(id)! + 1)
      const list = dependents.get(before)
      if (list) list.push(id)
      else dependents.set(before, [id])
    }
  }
  const queue = tasks.filter(({ id }) => open.get(id) === 0).map(({ id }) => id)
  for (const id of queue) layers.set(id, 0)
  for (const id of queue) {
    for (const next of dependents.get(id) ?? []) {
      layers.set(next, Math.max(layers.get(next) ?? 0, layers.get(id)! + 1))
      open.set(next, open.get(next)! - 1)
      if (open.get(next) === 0) queue.push(next)
    }
  }
  return layers
}
