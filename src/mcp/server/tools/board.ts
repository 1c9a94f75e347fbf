import { z } from 'zod'
import { numbered, taskStateText } from '../../../prompts/task-state.ts'
import type { Answer } from '../../../team/answers/answer.ts'
import { type TaskView, taskView } from '../../../team/answers/view.ts'
import { allTasks } from '../../../team/board/board.ts'
import type { Command } from '../../../team/command.ts'
import { isRefusal, type Refusal, refuse } from '../../../team/refusal.ts'
import { BoardStatus, Estimate, Priority } from '../../../team/task.ts'
import { LEASE_SECONDS } from '../leases.ts'
import { EarlierAttempts, ListedTask, listedTask, WholeTask, wholeTask } from '../shapes.ts'
import { type ToolCall, type ToolOutput, teamTool } from '../team-tool.ts'
import { claimableBy } from './claimable.ts'

const Id = z.string().min(1).max(64).describe('the id of the task, such as 3 or 03-01/T2')
const Next = z.boolean().optional().describe('claim your next task in the same step, if one is ready')

const MAX_LISTED = 200

const taskList = teamTool({
  name: 'task_list',
  title: 'List the board',
  description:
    'Lists the tasks of the team with status, owner and what each waits for. With ready: true only what you can claim now.',
  input: z.object({
    status: BoardStatus.optional().describe('only tasks in this state'),
    ready: z.boolean().optional().describe('only tasks that you can claim now'),
    offset: z.number().int().min(0).default(0).describe('skip so many, to read on'),
    limit: z.number().int().min(1).max(MAX_LISTED).default(100),
  }),
  output: z.object({
    tasks: z.array(ListedTask),
    total: z.number().describe('tasks that match; with offset and limit the rest can be read'),
  }),
  isReadOnly: true,
  async run({ status, ready, offset, limit }, { team, by, clock }) {
    const all = ready ? claimableBy(team.state, by.name, clock.now()) : allTasks(team.state)
    const found = all.filter((task) => status === undefined || task.status === status)
    const views = found.slice(offset, offset + limit).map((task) => taskView(team.state, task))
    const shown = await team.loadLongTexts(views)
    const left = found.length - offset - shown.length
    const lines = shown.map((task) => `${numbered(task)} (${taskStateText(task)})`)
    if (lines.length === 0) lines.push(ready ? 'There is no task you can claim now.' : 'No tasks.')
    if (left > 0) lines.push(`[${left} more: task_list with offset ${offset + shown.length}]`)
    return { data: { tasks: shown.map(listedTask), total: found.length }, text: lines.join('\n') }
  },
})

const taskGet = teamTool({
  name: 'task_get',
  title: 'Show a task',
  description: 'Returns everything about one task.',
  input: z.object({ id: Id }),
  output: z.object({ task: WholeTask }),
  isReadOnly: true,
  async run({ id }, { team }) {
    const task = team.state.tasks.get(id)
    if (!task) return refuse('unknown_task', { task: id })
    const view = await team.loadLongTexts(taskView(team.state, task))
    return { data: { task: wholeTask(view) }, text: wholeText(view) }
  },
})

const taskCreate = teamTool({
  name: 'task_create',
  title: 'Add a task',
  description: 'Puts a task on the board. Members claim it when everything in blockedBy is completed.',
  input: z.object({
    subject: z.string().describe('what is to be done, in one line'),
    description: z.string().optional().describe('everything its owner needs to know'),
    blockedBy: z.array(z.string()).optional().describe('ids of tasks or plans that come first'),
    files: z.array(z.string()).optional().describe('what its owner will change, such as src/api/'),
    role: z.string().optional().describe('only members of this role may claim it'),
    assignee: z.string().optional().describe('only this member may claim it; for the lead to set'),
    priority: Priority.optional(),
    estimate: Estimate.optional(),
  }),
  output: z.object({ task: WholeTask }),
  async run(draft, call) {
    const answer = await act(call, { type: 'task.add', tasks: [draft] })
    return isRefusal(answer) ? answer : oneTask(answer, (task) => `Created ${numbered(task)}.`)
  },
})

const taskClaim = teamTool({
  name: 'task_claim',
  title: 'Claim a task',
  description: `Makes you the only owner of a task: the one with this id, or the next one that is ready for you. The claim ends ${LEASE_SECONDS / 60} minutes after your last call of any tool of this server, and the task is free again. Returns the task you hold if you hold one already; task null: nothing can be claimed now.`,
  input: z.object({ id: Id.optional().describe('without it the next one that is ready') }),
  output: z.object({ task: WholeTask.nullable(), note: z.string().nullable(), earlierAttempts: EarlierAttempts }),
  async run({ id }, call) {
    const answer = await act(call, { type: 'task.claim', ...(id !== undefined && { id }), lease: LEASE_SECONDS })
    if (isRefusal(answer)) return answer
    const [task] = answer.tasks ?? []
    const note = answer.note ?? null
    const attempts = answer.earlierAttempts ?? []
    if (!task)
      return {
        data: { task: null, note, earlierAttempts: [] },
        text: `${note ?? 'Nothing to claim.'} Use wait_for_news.`,
      }
    const before = attempts.length === 0 ? '' : `\nEarlier attempts:\n${JSON.stringify(attempts)}`
    const data = { task: wholeTask(task), note, earlierAttempts: attempts.map((attempt) => ({ ...attempt })) }
    return { data, text: `You hold ${wholeText(task)}${before}` }
  },
})

const ended = z.object({
  task: WholeTask,
  next: WholeTask.nullable().describe('the task you hold now, if you asked for the next one'),
  unblocked: z.array(z.string()).describe('subjects of tasks that became ready'),
})

const taskComplete = teamTool({
  name: 'task_complete',
  title: 'Complete a task',
  description: 'Finishes a task that you hold.',
  input: z.object({
    id: Id,
    result: z.string().optional().describe('what came of it'),
    commit: z.string().optional().describe('the commit that holds it'),
    next: Next,
  }),
  output: ended,
  run: (input, call) => end(call, { type: 'task.complete', ...given(input) }),
})

const taskFail = teamTool({
  name: 'task_fail',
  title: 'Report a failed task',
  description: 'Reports that a task you hold cannot be done. The lead is notified.',
  input: z.object({ id: Id, reason: z.string().describe('why it cannot be done'), next: Next }),
  output: ended,
  run: (input, call) => end(call, { type: 'task.fail', ...given(input) }),
})

const taskRelease = teamTool({
  name: 'task_release',
  title: 'Release a task',
  description: 'Gives a task that you hold back to the board.',
  input: z.object({ id: Id, reason: z.string().optional() }),
  output: z.object({ task: WholeTask }),
  async run(input, call) {
    const answer = await act(call, { type: 'task.release', ...given(input) })
    return isRefusal(answer) ? answer : oneTask(answer, (task) => `Released ${numbered(task)}.`)
  },
})

const taskRenew = teamTool({
  name: 'task_renew',
  title: 'Renew a claim',
  description: `Extends your claim to ${LEASE_SECONDS / 60} minutes from now. Every other call renews it too; use this during long work without calls.`,
  input: z.object({ id: Id }),
  output: z.object({ task: WholeTask }),
  async run({ id }, call) {
    const answer = await act(call, { type: 'task.renew', id, lease: LEASE_SECONDS })
    return isRefusal(answer) ? answer : oneTask(answer, (task) => `Your claim of ${numbered(task)} is renewed.`)
  },
})

const taskUpdate = teamTool({
  name: 'task_update',
  title: 'Change a task',
  description:
    'Changes a task that you created or hold. Assigning, dependencies and reopening are for the lead. To claim, complete, fail or release use the tools for that.',
  input: z.object({
    id: Id,
    subject: z.string().optional(),
    description: z.string().optional(),
    files: z.array(z.string()).optional(),
    role: z.string().nullable().optional(),
    assignee: z.string().nullable().optional(),
    priority: Priority.optional(),
    estimate: Estimate.optional(),
    addBlockedBy: z.array(z.string()).optional(),
    removeBlockedBy: z.array(z.string()).optional(),
    status: z.enum(['pending', 'deleted']).optional().describe('pending reopens it, deleted deletes it'),
  }),
  output: z.object({ task: WholeTask.nullable().describe('null: it was deleted') }),
  async run(input, call) {
    const answer = await act(call, { type: 'task.update', ...given(input) })
    if (isRefusal(answer)) return answer
    const [task] = answer.tasks ?? []
    return task
      ? oneTask(answer, () => `Changed ${numbered(task)}.`)
      : { data: { task: null }, text: `Deleted ${input.id}.` }
  },
})

export const boardTools = [
  ...[taskList, taskGet, taskCreate, taskClaim, taskComplete],
  ...[taskFail, taskRelease, taskRenew, taskUpdate],
]

async function act({ team, by }: ToolCall, command: Command): Promise<Answer | Refusal> {
  return team.run(command, { by })
}

async function end(
  call: ToolCall,
  command: Extract<Command, { type: 'task.complete' | 'task.fail' }>,
): Promise<ToolOutput<z.input<typeof ended>> | Refusal> {
  const answer = await act(call, command)
  if (isRefusal(answer)) return answer
  const [task] = answer.tasks ?? []
  if (!task) throw new Error(`Task ${command.id} was ended and cannot be seen.`)
  const next = await withLease(call, answer.next ?? null)
  const { unblocked = [] } = answer
  const words = [
    `${task.status === 'failed' ? 'Failed' : 'Completed'}: ${numbered(task)}.`,
    ...(unblocked.length === 0 ? [] : [`Now ready: ${unblocked.join('; ')}.`]),
    ...(next ? [`You hold ${wholeText(next)}`] : command.next ? ['There is no next task for you now.'] : []),
  ]
  const data = { task: wholeTask(task), next: next && wholeTask(next), unblocked: [...unblocked] }
  return { data, text: words.join('\n') }
}

/** The next task gets the lease of the one before, which has none if it was claimed on the command line without one. */
async function withLease(call: ToolCall, next: TaskView | null): Promise<TaskView | null> {
  if (next === null || next.leaseUntil !== null) return next
  const renewed = await act(call, { type: 'task.renew', id: next.id, lease: LEASE_SECONDS })
  return isRefusal(renewed) ? next : (renewed.tasks?.[0] ?? next)
}

function oneTask(
  { tasks = [], note }: Answer,
  words: (task: TaskView) => string,
): ToolOutput<{ task: z.input<typeof WholeTask> }> {
  const [task] = tasks
  if (!task) throw new Error('The task was changed and cannot be seen.')
  return { data: { task: wholeTask(task) }, text: note ?? words(task) }
}

function wholeText(task: TaskView): string {
  const facts = [
    ...(task.files.length === 0 ? [] : [`Files: ${task.files.join(', ')}`]),
    ...(task.description === '' ? [] : [task.description]),
    ...(task.result === null ? [] : [`Result: ${task.result}`]),
  ]
  return [`${numbered(task)} (${taskStateText(task)})`, ...facts].join('\n')
}

/** Without members that are undefined: a command has a member or it does not. */
function given<T extends object>(input: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const members = Object.entries(input).filter(([, value]) => value !== undefined)
  return Object.fromEntries(members) as { [K in keyof T]: Exclude<T[K], undefined> }
}
