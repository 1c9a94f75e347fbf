import { type TaskView, taskView, waitsForWords } from '../../team/answers/view.ts'
import type { TeamState } from '../../team/state.ts'
import type { EarlierAttempt, Task } from '../../team/task.ts'
import { colours, indented, oneLine, plain, table, time } from '../output/format.ts'
import { print, printJson } from '../output/print.ts'
import type { Call } from '../program/context.ts'

/** A task as a reading command shows it. Nothing is written, so a lease that is over is only marked. */
export type ShownTask = TaskView & {
  readonly note?: 'lease over'
  /** Only of a task that is shown alone and waits for a plan: `blockedBy` with the tasks of that plan. */
  readonly blocked_by?: readonly string[]
  /** Only of a task that was just claimed. */
  readonly earlierAttempts?: readonly EarlierAttempt[] | undefined
  /** Only of a task that was ended with `--next`: the task that its owner holds now. */
  readonly next?: ShownTask | null
}

export function shownTask(state: TeamState, task: Task, now: number): ShownTask {
  const isOver = task.status === 'in_progress' && task.leaseUntil !== null && task.leaseUntil <= now
  return { ...taskView(state, task), ...(isOver && { note: 'lease over' as const }) }
}

export async function printTask(call: Call, task: ShownTask): Promise<void> {
  await (call.globals.json ? printJson(call, task) : print(call, sheet(call, task)))
}

/** The board, one line per task. */
export function board(call: Call, tasks: readonly ShownTask[]): string {
  const paint = painter(call)
  const rows = tasks.map((task) => [task.id, task.status, task.owner ?? '', `${oneLine(task.subject)}${remarks(task)}`])
  const text = table(call, ['ID', 'STATUS', 'OWNER', 'SUBJECT'], rows)
  return text.replace(/^(\S+ +)(pending|in_progress|completed|failed)/gm, (_, id, status) => id + paint(status, status))
}

function remarks(task: ShownTask): string {
  const remarks = [
    task.note,
    task.status === 'pending' && task.waitsFor.length > 0 && `waits for ${waitsForWords(task)}`,
    task.status === 'pending' && task.assignee && `for ${task.assignee}`,
    task.status === 'pending' && task.role && `role ${task.role}`,
    task.reason && oneLine(task.reason, 60),
  ].filter(Boolean)
  return remarks.length > 0 ? ` (${remarks.join('; ')})` : ''
}

function sheet(call: Call, task: ShownTask): string {
  const { bold, dim } = colours(call)
  const paint = painter(call)
  const facts: [string, string | false | null][] = [
    ['status', `${task.status}${task.note ? ` (${task.note})` : ''}`],
    ['owner', task.owner && `${task.owner}, since ${time(task.claimedAt ?? 0)}`],
    ['lease', task.leaseUntil !== null && `until ${time(task.leaseUntil)}`],
    ['assignee', task.assignee],
    ['role', task.role],
    ['priority', task.priority !== 5 && String(task.priority)],
    ['estimate', task.estimate !== null && String(task.estimate)],
    ['wakes the lead', task.wakeLead === true && 'when it ends'],
    ['waits for', waitsForWords(task)],
    ['blocks', task.blocks.join(', ')],
    ['files', task.files.join(', ')],
    ['commit', task.commit],
    ['reason', task.reason],
    ['attempts', task.ended.map(({ owner, end, reason }) => `${owner}: ${reason ?? end}`).join('; ')],
  ]
  const known = facts.filter(([, value]) => value)
  const width = Math.max(...known.map(([label]) => label.length))
  const lines = known.map(
    ([label, value]) =>
      `  ${dim(label.padEnd(width))}  ${label === 'status' ? paint(task.status, value || '') : plain(value || '')}`,
  )
  const texts = [task.description, task.result].filter((text) => text).map((text) => `\n${indented(text ?? '')}`)
  texts.push(...(task.earlierAttempts ?? []).map(earlierAttempt))
  if (task.earlierAttempts) texts.push(`\n${indented('Check which of its actions took effect before you repeat any.')}`)
  return `${bold(`#${task.id} ${oneLine(task.subject, 500)}`)}\n${[...lines, ...texts].join('\n')}\n`
}

function earlierAttempt({ owner, end, reason, lastCalls }: EarlierAttempt): string {
  const why = reason === undefined ? end : `${end}: ${oneLine(reason, 300)}`
  const calls = lastCalls.map((call) => `\n- ${oneLine(call, 300)}`).join('')
  const done = lastCalls.length > 0 ? `Its last tool calls:${calls}` : 'Its actions are not on record.'
  return `\n${indented(`${owner} held this task before (${why}). ${done}`)}`
}

function painter(call: Call): (status: TaskView['status'], text: string) => string {
  const { cyan, green, red, yellow } = colours(call)
  const paints = { pending: cyan, in_progress: yellow, completed: green, failed: red }
  return (status, text) => paints[status](text)
}
