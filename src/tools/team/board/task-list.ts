import { z } from 'zod'
import { numbered } from '../../../prompts/task-state.ts'
import { type TaskView, taskView, waitsForWords } from '../../../team/answers/view.ts'
import { allTasks, readyTasks } from '../../../team/board/board.ts'
import { suits } from '../../../team/board/decide-claims.ts'
import { memberNamed } from '../../../team/state.ts'
import { BoardStatus, type Task, taskStatus } from '../../../team/task.ts'
import { defineOwnTool } from '../../own-tool.ts'
import type { TeamMembership } from '../../team-membership.ts'
import { membershipOf, TeamName } from '../membership-of.ts'
import { NotDone } from '../not-done.ts'
import description from './task-list.md'

export const taskList = defineOwnTool({
  name: 'TaskList',
  roles: ['lead', 'teammate'],
  needsTeam: true,
  description,
  input: z.strictObject({
    status: z.string().optional().describe('only pending, in_progress, completed or failed ones'),
    team_name: TeamName,
  }),
  isReadOnly: true,
  action: () => undefined,
  async run({ status: wanted, team_name }, context) {
    const membership = await membershipOf(context, team_name)
    const status = wanted === undefined ? undefined : taskStatus(wanted)
    if (wanted !== undefined && (status === undefined || status === 'deleted'))
      throw new NotDone(`'${wanted}' is not a task status. Use pending, in_progress, completed or failed.`)
    const board = allTasks(membership.state)
    if (board.length === 0) return 'No tasks.'
    const shown = board.filter((task) => status === undefined || task.status === status)
    const views = await membership.loadLongTexts(shown.map((task) => taskView(membership.state, task)))
    const lines = [...views.map(line), counted(board), yours(membership, board)]
    return context.outputs.fit(lines.join('\n'), 'tasks')
  },
})

/** The mark of each status on the board. */
export const BOX = { pending: '[ ]', in_progress: '[>]', completed: '[x]', failed: '[!]' }

function line(task: TaskView): string {
  const facts = [
    ...(task.status === 'pending' && task.waitsFor.length > 0 ? [`blocked by: ${waitsForWords(task)}`] : []),
    ...(task.role === null ? [] : [`role: ${task.role}`]),
    ...(task.assignee === null ? [] : [`for ${task.assignee} only`]),
    ...(task.files.length === 0 ? [] : [`files: ${task.files.join(', ')}`]),
    ...(task.priority === 5 ? [] : [`priority ${task.priority}`]),
    ...(task.estimate === null ? [] : [`estimate ${task.estimate}`]),
    ...(task.reason === null ? [] : [`failed: ${task.reason}`]),
  ]
  const about = facts.length === 0 ? '' : ` (${facts.join('; ')})`
  return `#${task.id}. ${BOX[task.status]} ${task.subject}${about}${task.owner === null ? '' : ` @${task.owner}`}`
}

function counted(board: readonly Task[]): string {
  const of = (status: Task['status']) => board.filter((task) => task.status === status).length
  const counts = BoardStatus.options.flatMap((status) => (of(status) === 0 ? [] : [`${of(status)} ${status}`]))
  return `${board.length} ${board.length === 1 ? 'task' : 'tasks'}: ${counts.join(', ')}.`
}

/** The task that the caller holds, or those it can take: pending, ready, for its role and name, no file in use. */
function yours({ state, name }: TeamMembership, board: readonly Task[]): string {
  const held = board.find((task) => task.status === 'in_progress' && task.owner === name)
  if (held) return `You are working on ${numbered(held)}.`
  const member = memberNamed(state, name)
  const open = member ? readyTasks(state).filter((task) => suits(state, task, member)) : []
  if (open.length === 0) return 'There is no task you can take now.'
  const more = open.length > MAX_SHOWN ? `; and ${open.length - MAX_SHOWN} more` : ''
  return `You can take: ${open.slice(0, MAX_SHOWN).map(numbered).join('; ')}${more}.`
}

/** The list above names the others too. */
const MAX_SHOWN = 10
