import { createActivityReports } from '../../agent/activity-reports.ts'
import type { OpenAgent } from '../../agent/agent.ts'
import { createFence } from '../../agent/fence.ts'
import { fitText } from '../../agent/fit-text.ts'
import { inputBudget } from '../../agent/input/choose-mail.ts'
import { createMembership, type Membership } from '../../agent/membership.ts'
import type { SessionContext } from '../../agent/session-context.ts'
import { createSubagentRunner } from '../../agent/subagent.ts'
import { isVendorType } from '../../agent/vendor-agents.ts'
import type { ToolCall } from '../../models/model.ts'
import { earlierAttemptsText } from '../../prompts/earlier-attempts.ts'
import { REPLACEMENT_ADVICE, refusedAnswerText } from '../../prompts/subagent.ts'
import { taskText, unfinishedTaskText } from '../../prompts/task.ts'
import { isAsking } from '../../team/progress/next-step.ts'
import { isRefusal } from '../../team/refusal.ts'
import { refusalText } from '../../team/refusal-text.ts'
import { heldBy } from '../../team/state.ts'
import { BUILT_IN } from '../../tools/subagents/built-in-types.ts'
import { narrowedType } from '../../tools/subagents/narrow-type.ts'
import type { SubagentEnd } from '../../tools/subagents/run-subagent.ts'
import { taskUpdate } from '../../tools/team/board/task-update.ts'
import { checkAnswer } from '../answers.ts'
import { withCommits } from '../commits/complete-task.ts'
import { MAX_REMINDERS } from './held-task.ts'
import type { RunInPlace } from './teammate-factory.ts'

const CODE = BUILT_IN.find(({ name }) => name === 'code')!

/** Does one task without a teammate: in place of a lost one as a job of the lead, else on its own. */
export async function runInPlaceOf(
  context: SessionContext,
  lead: OpenAgent,
  { team, by }: Membership,
  { task, member, as, isReported, isContinued, signal }: RunInPlace,
): Promise<SubagentEnd> {
  // This id stands in transcripts on disk, so it keeps its prefix.
  const call = { toolCallId: `errand-${task.id}-${task.attempts}` } as ToolCall
  // The lead asks for permission on its behalf: the teammate that it replaces is lost.
  const personFor = (agent: string) => context.permissionRequests.ofSubagent(team, by, agent)
  const reports = createActivityReports(team, as)
  const runSubagent = createSubagentRunner(context, {
    // Several do tasks at the same time for one role, or in place of one teammate: each is named by what holds its task.
    name: as.name,
    recordUsage: reports.addUsage,
    personFor,
    isFinished: () => context.run.isFinished(),
  })
  const spawned = context.agentTypes.find(({ name }) => name === member.profile?.agentType)
  const ofRole = context.roles?.typeOf(member.role)
  // Another vendor's agent is replaced by one of ours.
  const narrowed = narrowedType(ofRole, spawned)
  const type = narrowed && !isVendorType(narrowed) ? narrowed : CODE
  const { tokens, keep } = inputBudget({ model: context.model, maxOutput: context.maxOutput }, lead.memory.keep)
  const earlier = earlierAttemptsText(task.id, await team.earlierAttempts(task, as.name))
  const taskPrompt = fitText(`${taskText(team.state, task, 'Do task')}\n${earlier}`, tokens, keep, 'task').text
  const prompt = `${taskPrompt}\n${REPLACEMENT_ADVICE}`
  // It acts as the member that holds the task, not as the lead.
  const own = { team, by: as }
  const memberships = [
    withCommits(
      context,
      own,
      createMembership(own, () => false, context.routing),
    ),
  ]
  const confirm = createFence({ team, presence: context.store.presence }, as)
  let reminders = 0
  let isGivenBack = false
  const wantsMore = (answer: string) => {
    const isHeld = heldBy(team.state, as.name)?.id === task.id
    if (isHeld) return reminders++ < MAX_REMINDERS ? unfinishedTaskText(task) : undefined
    const found = isGivenBack ? undefined : checkAnswer(context, own, task.id, answer)
    if (!found || !isRefusal(found)) return undefined
    isGivenBack = true
    return refusedAnswerText(refusalText(found))
  }
  const runTask = async (stop: AbortSignal, job?: string): Promise<SubagentEnd> => {
    const toolContext = lead.toolContext(call, stop, () => {})
    // Recorded like the transcript of a teammate: if it dies, the next owner learns what it had done.
    const log = await context.store.log(`${team.name}/transcripts/${as.name}`)
    const run = runSubagent(
      {
        type,
        description: task.subject,
        prompt,
        model: ofRole?.model ?? member.profile?.model ?? undefined,
        tools: [taskUpdate],
        record: { log, generation: as.generation!, task: task.id, ...(isContinued && { continued: team }) },
        isOwing: () => heldBy(team.state, as.name)?.id === task.id,
        wantsMore,
        isWaiting: () => isAsking(team.state, by),
      },
      {
        ...toolContext,
        memberships: () => memberships,
        recordGroup: (group) => toolContext.recordGroup(group, job),
        async fence() {
          await confirm()
          await context.commits.beforeEffect({ team, by: as })
        },
      },
      () => {},
    )
    return run.finally(reports.flush)
  }
  let end: SubagentEnd = { text: '', problem: 'it was stopped' }
  if (!isReported)
    return runTask(signal).catch((error) => (signal.aborted ? end : { text: '', problem: String(error) }))
  const job = lead.jobs.start(
    'agent',
    `task ${task.id} in place of ${member.name}`,
    async ({ id, signal: stop, write }) => {
      end = await runTask(AbortSignal.any([stop, signal]), id)
      write(end.text)
      return { state: end.problem === undefined ? 'completed' : 'failed', summary: end.problem ?? end.text }
    },
  )
  await job.ended
  return end
}
