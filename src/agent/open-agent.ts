import { join } from 'node:path'
import type { Log } from '../journal/store.ts'
import type { TeamHandle } from '../journal/team-handle.ts'
import type { Model } from '../models/model.ts'
import type { AgentPermissions } from '../permissions/agent-permissions.ts'
import { calledTeam } from '../prompts/system-prompt.ts'
import type { Author } from '../team/event.ts'
import { nameKey } from '../team/name.ts'
import { situationOf } from '../team/situation.ts'
import { NoTool } from '../tools/define-tool.ts'
import { createReads } from '../tools/files/reads.ts'
import { jobNotice } from '../tools/jobs/job-notice.ts'
import { createJobs } from '../tools/jobs/jobs.ts'
import { endRecordedGroup } from '../tools/processes/group.ts'
import { announcingReserved } from '../tools/reservations/announce-reserved.ts'
import { createOutputs } from '../tools/results/outputs.ts'
import type { Memberships } from '../tools/team-membership.ts'
import type { Jobs, Tool } from '../tools/tool.ts'
import { type ActivityReports, createActivityReports } from './activity-reports.ts'
import { type Agent, createNotices, type Input, type OpenAgent } from './agent.ts'
import { type InputBudget, inputBudget } from './choose-mail.ts'
import { createFence, throwIfSuperseded } from './fence.ts'
import { restoreMailFiles } from './mail-files.ts'
import { recoverInterruptedCalls } from './recover-interrupted-calls.ts'
import type { SessionContext } from './session-context.ts'
import { LeadTranscriptLost, recordLostTranscript } from './transcript/lost-transcript.ts'
import { openTranscript, type Transcript, TranscriptLost } from './transcript/transcript.ts'
import { createToolHooks } from './with-hooks.ts'

/** What makes an agent a lead or a teammate. */
export interface AgentOptions {
  readonly context: SessionContext
  readonly team: TeamHandle
  readonly by: Author
  readonly log: Log
  readonly model: Model
  readonly system: string
  readonly permissions: AgentPermissions
  readonly limits: Agent['limits']
  readonly used: () => Agent['used']
  /** What it has in its hands; made when its jobs and accounts are there. */
  tools(desk: Pick<ReportingAgent, 'reports'>): readonly Tool[]
  memberships(isHeard: (id: string) => boolean): Memberships
  /** What is new for it; asked before each of its calls of a model. */
  nextInput(desk: Pick<OpenAgent, 'transcript' | 'notices'>, portion: InputBudget): Promise<Input | undefined>
  acknowledge: Agent['acknowledge']
  urgency(): number
  readonly check: Agent['check']
}

/** A lead or a teammate, with its jobs and what it reports to the journal. */
export interface ReportingAgent extends OpenAgent {
  readonly jobs: Jobs
  readonly reports: ActivityReports
}

/** Opens the conversation of a lead or a teammate, and recovers what a dead process left of it. */
export async function openAgent(plan: AgentOptions): Promise<ReportingAgent> {
  const { context: home, team, by, permissions: permits } = plan
  const { root, folders, env } = home
  const opening = { log: plan.log, generation: by.generation!, eraser: home.eraser }
  const expects = team.state.transcripts.get(nameKey(by.name))
  const isLead = nameKey(by.name) === 'lead'
  let hasLostTurns = false
  const transcript = await openTranscript({ ...opening, expects }).catch(async (error) => {
    if (!(error instanceof TranscriptLost)) throw error
    if (isLead) throw new LeadTranscriptLost(team.name, error)
    await recordLostTranscript(home, team, by.name, error)
    hasLostTurns = true
    return openTranscript(opening)
  })
  const notices = createNotices()
  await recoverInterruptedCalls({ transcript, notices }, endRecordedGroup)

  const outputs = createOutputs({ folder: join(home.outputsOf(team.name), by.name), root, eraser: home.eraser })
  await restoreMailFiles(home.store, transcript.state, { outputs, name: by.name, teams: teamsOf(team, by) })
  const portion = inputBudget({ model: plan.model, maxOutput: home.maxOutput }, outputs.keep, outputs.sumOf)
  const reads = createReads()
  const accounts = createActivityReports(team, by)
  const allJobs = createJobs({
    outputs,
    before: transcript.state.jobCount,
    onEnd(job) {
      const tell = () => notices.add({ text: jobNotice(job), job: job.id })
      if (team.order) void team.order.step(`${by.name} is told of ${job.id}`, tell)
      else tell()
      // Should this fail, the process that resumes says that it was interrupted.
      transcript.endedJob({ id: job.id, state: job.state, summary: job.summary ?? '' }).catch(() => {})
    },
  })
  const jobs = onRecord(allJobs, transcript)
  const seats = plan.memberships((id) => transcript.state.mail.has(id))
  const tools = plan.tools({ reports: accounts })
  const twice = tools.find(({ name }, i) => tools.findIndex((other) => other.name === name) < i)
  if (twice) throw new NoTool(twice.name, 'there is one of this name already. Give yours another')

  const offered = announcingReserved(tools.filter(({ name }) => permits.isOffered(name)))
  const fence = createFence({ team, presence: home.store.presence }, by)
  const around =
    home.hooks && createToolHooks(home.hooks, { agent: by.name, fence, emit: (event) => home.run.emit(event) })

  return {
    name: by.name,
    system: plan.system,
    model: plan.model,
    tools: around?.tools(offered) ?? offered,
    maxOutput: home.maxOutput,
    limits: plan.limits,
    transcript,
    notices,
    jobs,
    reports: accounts,
    hasLostTurns,
    flushReports: accounts.post,
    order: team.order,
    get used() {
      return plan.used()
    },
    async nextInput() {
      accounts.check()
      await home.store.presence.confirm()
      const news = await plan.nextInput({ transcript, notices }, portion)
      throwIfSuperseded(team, by)
      return news
    },
    acknowledge: plan.acknowledge,
    urgency: plan.urgency,
    memory: {
      keep: outputs.keep,
      async situation() {
        if (team.order) await team.order.step(`${by.name} looks`, () => team.refresh())
        else await team.refresh()
        return situationOf(team.state, by.name, calledTeam(team.name))
      },
    },
    recordUsage: accounts.addUsage,
    check: around?.check(plan.check) ?? plan.check,
    toolContext: (call, signal, progress) => ({
      agent: by.name,
      team: team.name,
      callId: call.toolCallId,
      memberships: seats,
      signal,
      root,
      folders,
      env,
      boundary: home.boundary,
      outputs,
      jobs,
      reads,
      forbids: permits.forbids,
      recordGroup: (group, job) => transcript.began({ ...group, of: job ?? call.toolCallId }),
      fence,
      progress,
    }),
    async [Symbol.asyncDispose]() {
      await allJobs[Symbol.asyncDispose]()
      try {
        await accounts.settle()
      } finally {
        await transcript[Symbol.asyncDispose]()
      }
    },
  }
}

/** Those from which mail comes into its conversation. */
function teamsOf({ name, state }: TeamHandle, by: Author): readonly string[] {
  return nameKey(by.name) === 'lead' ? [name, ...state.leads.get()] : [name]
}

/** A job is on record before it begins, so that the process that resumes can say what became of it. */
function onRecord(jobs: Jobs, transcript: Transcript): Jobs {
  return {
    ...jobs,
    start: (kind, about, begin) =>
      jobs.start(kind, about, async (job) => {
        await transcript.beganJob({ id: job.id, about })
        return begin(job)
      }),
  }
}
