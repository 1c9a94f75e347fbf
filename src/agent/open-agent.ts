import { join } from 'node:path'
import type { Log } from '../journal/log/store.ts'
import { JournalReadOnly } from '../journal/log/store-errors.ts'
import type { TeamHandle } from '../journal/team-handle.ts'
import type { Model } from '../models/model.ts'
import type { AgentPermissionsOptions } from '../permissions/permissions.ts'
import { endRecordedGroup } from '../permissions/processes/process-group.ts'
import { jobEndedText } from '../prompts/notices.ts'
import { situationText } from '../prompts/situation.ts'
import { calledTeam } from '../prompts/system-prompt.ts'
import type { Author } from '../team/event.ts'
import { nameKey } from '../team/name.ts'
import { NoTool } from '../tools/define-tool.ts'
import { createReads } from '../tools/files/reads.ts'
import { createJobs } from '../tools/jobs/jobs.ts'
import { announcingReserved } from '../tools/reservations/announce-reserved.ts'
import { createOutputs } from '../tools/results/outputs.ts'
import type { TeamMembership } from '../tools/team-membership.ts'
import type { Jobs, Tool } from '../tools/tool.ts'
import { createActivityReports } from './activity-reports.ts'
import type { Agent, OpenAgent, RunTurn } from './agent.ts'
import { recoverInterruptedCalls } from './calls/recover-interrupted-calls.ts'
import { createToolHooks } from './calls/tool-hooks.ts'
import { createFence, throwIfSuperseded } from './fence.ts'
import { inputBudget } from './input/choose-mail.ts'
import { createInbox, type Waking } from './input/inbox.ts'
import { restoreMailFiles } from './input/mail-files.ts'
import { createNotices } from './input/notices.ts'
import { runLoop } from './loop.ts'
import { createMembership, type Membership } from './membership.ts'
import { offeredTools } from './offered-tools.ts'
import type { SessionContext } from './session-context.ts'
import { LeadTranscriptLost, recordLostTranscript, TranscriptDamaged } from './transcript/lost-transcript.ts'
import { openTranscript, type Transcript, TranscriptLost } from './transcript/transcript.ts'

/** What makes an agent a lead or a teammate. */
export interface AgentOptions {
  /** Its own team, whose journal records what it does, and as which member. */
  readonly team: TeamHandle
  readonly by: Author
  readonly log: Log
  readonly model: Model
  readonly system: string
  readonly permissions: Omit<AgentPermissionsOptions, 'hooks'>
  /** The teams whose mail it receives, its own first. */
  memberships(): readonly Membership[]
  readonly waking?: Waking
  /** Takes in lines that other programs wrote into the mailbox files. */
  ingest?(): Promise<void>
  /** Called after each notice for it, so that it wakes. */
  onNotice?(): void
  tools(recordUsage: Agent['recordUsage']): readonly Tool[]
  /** Whether it has this tool of an MCP server. */
  hasServerTool(tool: string): boolean
  /** Changes what its tools do through a membership. */
  adaptMembership?(membership: TeamMembership, own: Membership): TeamMembership
  urgency(): number
  readonly reportBlocker?: Agent['reportBlocker']
  /** By default our own loop. */
  readonly runTurn?: RunTurn | undefined
}

/** Opens the conversation of a lead or a teammate, and recovers what a dead process left of it. */
export async function openAgent(context: SessionContext, options: AgentOptions): Promise<OpenAgent> {
  const { team, by } = options
  const { root, folders, env } = context
  const { transcript, hasLostTurns } = await openOwnTranscript(context, options)
  const notices = createNotices(options.onNotice)
  await recoverInterruptedCalls({ transcript, notices, team }, endRecordedGroup)

  const outputs = createOutputs({ folder: join(context.outputsOf(team.name), by.name), root, eraser: context.eraser })
  await restoreMailFiles(context.store, transcript.state, { outputs, name: by.name, teams: teamsOf(team, by) })
  const budget = inputBudget({ model: options.model, maxOutput: context.maxOutput }, outputs.keep, outputs)
  const reads = createReads()
  const reports = createActivityReports(team, by)
  const allJobs = createJobs({
    outputs,
    before: transcript.state.jobCount,
    onEnd(job) {
      const notify = () => notices.add({ text: jobEndedText(job), job: job.id })
      if (team.order) void team.order.step(`${by.name} is told of ${job.id}`, notify)
      else notify()
      // If this fails, the process that resumes the agent reports the job as interrupted.
      transcript.endedJob({ id: job.id, state: job.state, summary: job.summary ?? '' }).catch(() => {})
    },
  })
  const jobs = recorded(allJobs, transcript)
  const { adaptMembership = (membership: TeamMembership) => membership } = options
  const memberships = () =>
    options.memberships().map((one) =>
      adaptMembership(
        createMembership(one, (id) => transcript.state.mail.has(id), context.routing),
        one,
      ),
    )
  const tools = options.tools(reports.addUsage)
  const twice = tools.find(({ name }, i) => tools.findIndex((other) => other.name === name) < i)
  if (twice) throw new NoTool(twice.name, 'there is one of this name already. Give yours another')

  const confirm = createFence({ team, presence: context.store.presence }, by)
  const fence = async () => {
    await confirm()
    await context.commits.beforeEffect({ team, by })
  }
  const hooks =
    context.hooks && createToolHooks(context.hooks, { agent: by.name, fence, emit: (event) => context.run.emit(event) })
  const permissions = context.permissionsFor({ ...options.permissions, ...(hooks && { hooks: hooks.beforeCall }) })
  const offered = offeredTools(tools, {
    source: context.toolSource,
    has: ({ name }) => permissions.isOffered(name),
    hasSourced: ({ name }) => options.hasServerTool(name),
    wrap: (some) => hooks?.afterCalls(announcingReserved(some)) ?? announcingReserved(some),
  })
  const inbox = createInbox({ ...options, transcript, notices, budget })

  return {
    name: by.name,
    runTurn: options.runTurn ?? runLoop,
    system: options.system,
    model: options.model,
    get tools() {
      return offered.tools
    },
    toolsReady: offered.ready,
    maxOutput: context.maxOutput,
    limits: context.limits,
    transcript,
    jobs,
    hasLostTurns,
    flushReports: reports.flush,
    settleReports: reports.settle,
    setActivity: reports.setActivity,
    order: team.order,
    get used() {
      return context.run.used
    },
    inbox: {
      notices,
      acknowledge: inbox.acknowledge,
      hasInput: inbox.hasInput,
      async next() {
        reports.check()
        await context.store.presence.confirm()
        const input = await inbox.next()
        throwIfSuperseded(team, by)
        return input
      },
    },
    urgency: options.urgency,
    ...(options.reportBlocker && { reportBlocker: options.reportBlocker }),
    memory: {
      keep: outputs.keep,
      async situation() {
        if (team.order) await team.order.step(`${by.name} looks`, () => team.refresh())
        else await team.refresh()
        return situationText(team.state, by.name, calledTeam(team.name))
      },
    },
    recordUsage: reports.addUsage,
    permissions,
    toolContext: (call, signal, progress) => ({
      agent: by.name,
      team: team.name,
      callId: call.toolCallId,
      memberships,
      signal,
      root,
      folders,
      env,
      sandbox: context.sandbox,
      watchViews: () => context.watchViews(by.name),
      handOffFiles: context.handOffFiles,
      outputs,
      jobs,
      reads,
      forbids: permissions.forbids,
      recordGroup: (group, job) => transcript.began({ ...group, of: job ?? call.toolCallId }),
      fence,
      progress,
    }),
    async [Symbol.asyncDispose]() {
      await allJobs[Symbol.asyncDispose]()
      await context.toolSource?.release({ team: team.name, agent: by.name })
      try {
        await reports.settle()
      } finally {
        await transcript[Symbol.asyncDispose]()
      }
    },
  }
}

/** A lead without its transcript stops the run; a teammate continues without the lost turns, and agent, lead and user learn of it. */
async function openOwnTranscript(
  context: SessionContext,
  { team, by, log }: AgentOptions,
): Promise<{ transcript: Transcript; hasLostTurns: boolean }> {
  const opening = { log, generation: by.generation!, eraser: context.eraser }
  const expects = team.state.transcripts.get(nameKey(by.name))
  try {
    return { transcript: await openTranscript({ ...opening, expects }), hasLostTurns: false }
  } catch (error) {
    if (error instanceof JournalReadOnly && error.fault.kind === 'damaged')
      throw new TranscriptDamaged(team.name, error.fault, error)
    if (!(error instanceof TranscriptLost)) throw error
    if (nameKey(by.name) === 'lead') throw new LeadTranscriptLost(team.name, error)
    await recordLostTranscript(context, team, by.name, error)
    return { transcript: await openTranscript(opening), hasLostTurns: true }
  }
}

/** The teams whose mail enters its conversation; those that a lead leads are opened after it. */
function teamsOf({ name, state }: TeamHandle, by: Author): readonly string[] {
  return nameKey(by.name) === 'lead' ? [name, ...state.leads.get()] : [name]
}

/** A job is on record before it begins, so that the process that resumes the agent can say how it ended. */
function recorded(jobs: Jobs, transcript: Transcript): Jobs {
  return {
    ...jobs,
    start: (kind, about, begin) =>
      jobs.start(kind, about, async (job) => {
        await transcript.beganJob({ id: job.id, about })
        return begin(job)
      }),
  }
}
