import { earlierAttemptsText } from '../../../prompts/earlier-attempts.ts'
import { refusalForModel } from '../../../prompts/refusals.ts'
import { nextTaskText, numbered, readyTasksText, stillBlockedText, taskStateText } from '../../../prompts/task-state.ts'
import type { Answer } from '../../../team/answers/answer.ts'
import type { TaskView } from '../../../team/answers/view.ts'
import type { Command } from '../../../team/command.ts'
import { nameKey } from '../../../team/name.ts'
import { isRefusal } from '../../../team/refusal.ts'
import { isLead } from '../../../team/rights.ts'
import type { Task, TaskStatus } from '../../../team/task.ts'
import { jsonSchemaOf } from '../../define-tool.ts'
import { defineOwnTool } from '../../own-tool.ts'
import { shortenResult } from '../../results/shorten-result.ts'
import type { TeamMembership } from '../../team-membership.ts'
import type { ToolContext, ToolResult } from '../../tool.ts'
import { membershipOf } from '../membership-of.ts'
import { NotDone } from '../not-done.ts'
import description from './task-update.md'
import { UPDATE_SYNONYMS, UpdateInput, UpdateOffer } from './task-update-input.ts'
import { type OwnEnd, updateSteps } from './update-steps.ts'

export const taskUpdate = defineOwnTool({
  name: 'TaskUpdate',
  roles: ['lead', 'teammate'],
  needsTeam: true,
  description,
  input: UpdateInput,
  synonyms: UPDATE_SYNONYMS,
  schema: jsonSchemaOf('TaskUpdate', UpdateOffer),
  action: () => undefined,
  isRepeatable: (input) =>
    input.status === 'completed' && Object.keys(input).every((key) => COMPLETION_FIELDS.has(key)),
  async run({ team_name, ...input }, context) {
    const membership = await membershipOf(context, team_name)
    const before = membership.state.tasks.get(input.taskId)
    if (!before) throw new NotDone(`Task ${input.taskId} not found. TaskList shows all tasks.`)
    const own = ownEnd(membership, before, context)
    const { status, commands } = updateSteps(input, before, membership.name, own)
    const answers = await inOrder(membership, commands, context.answer?.commandId)
    const edges = commands.flatMap((command) => ('id' in command && command.id !== before.id ? [command.id] : []))
    const waiting = edges.length === 0 ? [] : [`Waiting for it now: ${edges.join(', ')}.`]
    const claim = answers.find((answer) => isClaimOf(answer, before, membership.name))
    const earlier = earlierAttemptsText(before.id, claim?.earlierAttempts ?? [])
    const text = [await resultText(membership, { before, status, given: input.commit }, answers), earlier, ...waiting]
      .filter(Boolean)
      .join('\n')
    return { text, ...(claim && { task: before.id }), ...handOver(own, status, answers) }
  },
})

/** A call of a teammate about the task that it holds: if the call ends the task, the next one follows. */
function ownEnd(membership: TeamMembership, task: Task, { answer, outputs }: ToolContext): OwnEnd | undefined {
  const isOwn = task.status === 'in_progress' && nameKey(task.owner) === nameKey(membership.name)
  if (!isOwn || !answer || !membership.handsOver) return undefined
  const mayGetNext = membership.handsOver()
  return {
    text: answer.text,
    next: mayGetNext && answer.isLastCall,
    isDueLater: mayGetNext && !answer.isLastCall,
    reportOf: (result) => shortenResult(result, (content, about) => outputs.keep(content, about)),
  }
}

function handOver(
  own: OwnEnd | undefined,
  status: TaskStatus | undefined,
  answers: readonly Answer[],
): Pick<ToolResult, 'handOver'> {
  if (!own || (status !== 'completed' && status !== 'failed')) return {}
  if (own.isDueLater) return { handOver: 'due' }
  const next = answers.at(-1)?.next
  return next === undefined ? {} : { handOver: next ? 'done' : 'none' }
}

/** The fields of a call that only completes a task. */
const COMPLETION_FIELDS = new Set(['taskId', 'status', 'result', 'commit', 'team_name'])

/** The answer gave the task to this agent, which did not hold it before. */
function isClaimOf({ tasks = [] }: Answer, before: Task, me: string): boolean {
  const isOurs = ({ status, owner }: { status: string; owner?: string | null }) =>
    status === 'in_progress' && nameKey(owner ?? '') === nameKey(me)
  return !isOurs(before) && tasks.some((task) => task.id === before.id && isOurs(task))
}

/** Runs each command after the one before. A refusal names the tasks that earlier commands changed. */
async function inOrder(
  membership: TeamMembership,
  commands: readonly Command[],
  commandId: string | undefined,
): Promise<Answer[]> {
  const answers: Answer[] = []
  for (const command of commands) {
    const endsTask = command.type === 'task.complete' || command.type === 'task.fail'
    const answer = await membership.run(command, endsTask ? commandId : undefined)
    if (isRefusal(answer)) {
      const done = answers.flatMap(({ tasks, note }) => (note === undefined ? (tasks ?? []) : []))
      const tasks = done.map((task) => `#${task.id} (${taskStateText(task)})`).join(', ')
      const effect = done.length === 0 ? '' : `\nThese tasks were changed before that: ${tasks}.`
      throw new NotDone(`${refusalForModel(answer)}${effect}`)
    }
    answers.push(answer)
  }
  return answers
}

async function resultText(
  membership: TeamMembership,
  { before, status, given }: { before: Task; status: TaskStatus | undefined; given: string | undefined },
  answers: readonly Answer[],
): Promise<string> {
  const { id } = before
  const own = answers.filter(({ tasks }) => tasks?.some((task) => task.id === id))
  const note = own.every((answer) => answer.note !== undefined) ? own.at(-1)?.note : undefined
  if (status === 'deleted') return `Task #${id} deleted: ${before.subject}.`
  const task = own.at(-1)?.tasks?.find((one) => one.id === id)
  if (!task) return `Task ${numbered(before)} is unchanged.`
  if (note !== undefined) return `${note} ${numbered(task)}: ${taskStateText(task)}.`
  const handedOver = answers.at(-1)?.next
  const next = handedOver === undefined ? '' : nextTaskText(handedOver)
  switch (status) {
    case 'in_progress':
      return claimed(task)
    case 'completed': {
      const unblocked = answers.flatMap((answer) => answer.unblocked ?? [])
      const committed = given === undefined && task.commit !== null ? ` Committed as ${task.commit}.` : ''
      return `Task #${id} completed: ${task.subject}.${committed} ${readyTasksText(membership.state, id, unblocked)}${next}`
    }
    case 'failed': {
      const leadNote = isLead(membership.name) ? '' : ' The lead is told.'
      return `Task #${id} failed: ${task.subject}.${leadNote}${stillBlockedText(membership.state, id)}${next}`
    }
    case 'pending': {
      const from = before.status === 'in_progress' && before.owner !== membership.name ? before.owner : undefined
      const taken = from === undefined ? '' : ` It was taken from ${from}: tell ${from}.`
      return `Task #${id} is pending again: ${task.subject} (${taskStateText(task)}).${taken}`
    }
    case undefined:
      return `Task #${id} updated: ${task.subject} (${taskStateText(task)}).`
    default:
      return status satisfies never
  }
}

/** A teammate has no TaskGet, so the claim returns all that is known about the task. */
function claimed({ id, subject, description, files, owner }: TaskView): string {
  return [
    `Task #${id} claimed for ${owner}, in_progress: ${subject}`,
    ...(description === '' ? [] : [description]),
    ...(files.length === 0 ? [] : [`Reserved for you: ${files.join(', ')}.`]),
    `When it is done: TaskUpdate with taskId ${id}, status completed and a result.`,
  ].join('\n')
}
