import type { Colors } from 'picocolors/types'
import { allTasks } from '../../team/board.ts'
import type { TeamState } from '../../team/state.ts'
import { type TaskView, taskView } from '../../team/view.ts'
import { oneLine } from '../screen.ts'

const WIDEST = 34

/** The board, one row per task; a task stands further right than what it waits for. */
export function boardPicture(state: TeamState, paint: Colors): string[] {
  const tasks = allTasks(state).map((task) => taskView(state, task))
  const depth = depths(tasks)
  const rows = tasks.map((task) => {
    const [colour, words] = standing(task, paint)
    const name = '  '.repeat(depth.get(task.id) ?? 0) + oneLine(`#${task.id} ${task.subject}`, WIDEST)
    return { name, colour, words, files: task.files.join(', ') }
  })
  const [names, states] = [rows.map(({ name }) => name.length), rows.map(({ words }) => words.length)]
  const [left, middle] = [Math.max(...names), Math.max(...states)]
  return rows.map(({ name, colour, words, files }) =>
    `${name.padEnd(left)}   ${colour(words.padEnd(middle))}   ${paint.dim(files)}`.trimEnd(),
  )
}

function standing(task: TaskView, { cyan, dim, green, red, yellow }: Colors): [(text: string) => string, string] {
  if (task.status === 'completed') return [green, `done by ${task.owner}`]
  if (task.status === 'in_progress') return [yellow, `${task.owner} is at it`]
  if (task.status === 'failed') return [red, 'failed']
  if (task.waitsFor.length > 0) return [dim, `waits for ${task.waitsFor.map((id) => `#${id}`).join(', ')}`]
  return [cyan, `ready for ${task.role ?? 'anybody'}`]
}

/** How long the longest way to each task is. */
function depths(tasks: readonly TaskView[]): Map<string, number> {
  const byId = new Map(tasks.map((task) => [task.id, task]))
  const known = new Map<string, number>()
  const depthOf = (id: string): number => {
    const before = byId.get(id)?.blockedBy.filter((other) => byId.has(other)) ?? []
    const depth = known.get(id) ?? Math.max(0, ...before.map((other) => depthOf(other) + 1))
    known.set(id, depth)
    return depth
  }
  for (const { id } of tasks) depthOf(id)
  return known
}
