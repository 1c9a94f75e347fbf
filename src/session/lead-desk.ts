import { join } from 'node:path'
import type { Model } from '../ports/model.ts'
import type { Log } from '../ports/store.ts'
import type { Boundary, Jobs, Tool } from '../ports/tool.ts'
import {
  type Conversation,
  createNotices,
  type Limits,
  type Notices,
  nothingUsed,
  type Used,
} from '../runtime/converse/conversation.ts'
import { mailNews } from '../runtime/converse/mail-news.ts'
import { takeUp } from '../runtime/converse/take-up.ts'
import type { Team } from '../runtime/team.ts'
import { openTranscript, type Transcript } from '../runtime/transcript.ts'
import type { Author } from '../team/event.ts'
import { situationOf } from '../team/situation.ts'
import type { AgentType } from '../tools/agents/agent-type.ts'
import type { Hooks } from '../tools/hooks/hooks.ts'
import { jobNotice } from '../tools/job-notice.ts'
import { createJobs } from '../tools/jobs.ts'
import { createOutputs } from '../tools/outputs.ts'
import { endRecordedGroup } from '../tools/processes/group.ts'
import { createReads } from '../tools/reads.ts'
import { toolsFor } from '../tools/toolbox.ts'
import { type Accounts, createAccounts } from './accounts.ts'
import { hooked } from './hooked.ts'
import type { Permits } from './permits.ts'
import { createRunAgent } from './run-subagent.ts'
import type { SessionEvent } from './session.ts'
import { calledTeam, leadPrompt } from './system-prompt.ts'

export interface DeskPlan {
  readonly team: Team
  readonly by: Author
  readonly log: Log
  readonly model: Model
  readonly root: string
  readonly folders: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Where large outputs of agents are kept, a folder each. */
  readonly outputs: string
  permits(isReadOnly: boolean, isSentOut?: boolean): Permits
  /** Keeps commands in, where that works and is wanted. */
  readonly boundary?: Boundary | undefined
  readonly hooks?: Hooks | undefined
  modelFor(name: string): Promise<Model>
  readonly agentTypes: readonly AgentType[]
  readonly tools: readonly Tool[]
  readonly limits: Limits
  readonly maxOutput?: number | undefined
  readonly appendSystemPrompt?: string | undefined
}

/** Everything a lead works with: its team, its conversation, its jobs and its accounts. */
export interface Desk extends AsyncDisposable {
  readonly team: Team
  readonly transcript: Transcript
  readonly notices: Notices
  readonly jobs: Jobs
  readonly accounts: Accounts
  readonly talk: Conversation
  readonly hooks: Hooks | undefined
  /** The run that lasts, or the last one. */
  readonly run: Run
}

export interface Run {
  used: Used
  /** Where events of agents that were sent out go. */
  tell: (event: SessionEvent) => void
}

export async function openLeadDesk(plan: DeskPlan): Promise<Desk> {
  const { team, by, root, folders, env } = plan
  const transcript = await openTranscript({ log: plan.log, generation: by.generation! })
  const notices = createNotices()
  await takeUp({ transcript, notices }, endRecordedGroup)

  const outputs = createOutputs({ folder: join(plan.outputs, by.name), root })
  const reads = createReads()
  const accounts = createAccounts(team, by)
  const allJobs = createJobs({
    outputs,
    before: transcript.state.jobCount,
    onEnd: (job) => notices.add({ text: jobNotice(job), job: job.id }),
  })
  const jobs = onRecord(allJobs, transcript)
  const run: Run = { used: nothingUsed(), tell: () => {} }
  const permits = plan.permits(false)
  const runAgent = createRunAgent({ ...plan, name: by.name, account: accounts.pay, run })
  const tools = [...toolsFor('lead', { types: plan.agentTypes, runAgent }), ...plan.tools]
  const offered = tools.filter(({ name }) => permits.isOffered(name))
  const around = plan.hooks && hooked(plan.hooks, { agent: by.name, tell: (event) => run.tell(event) })

  const door = atMostEvery(LOOK_AT_DOOR, () => team.ingest())

  const talk: Conversation = {
    agent: {
      name: by.name,
      system: leadPrompt({ team: team.name, root, folders, append: plan.appendSystemPrompt }),
      model: plan.model,
      tools: around?.tools(offered) ?? offered,
      maxOutput: plan.maxOutput,
      limits: plan.limits,
    },
    transcript,
    get used() {
      return run.used
    },
    async listen() {
      accounts.check()
      await door()
      return mailNews({ team, transcript, notices }, by)
    },
    memory: {
      keep: outputs.keep,
      async situation() {
        await team.refresh()
        return situationOf(team.state, by.name, calledTeam(team.name))
      },
    },
    account: accounts.pay,
    mayDo: around?.mayDo(permits.mayDo) ?? permits.mayDo,
    worldOf: (call, signal, progress) => ({
      agent: by.name,
      team: team.name,
      call: call.toolCallId,
      signal,
      root,
      folders,
      env,
      boundary: plan.boundary,
      outputs,
      jobs,
      reads,
      forbids: permits.forbids,
      recordGroup: (group, job) => transcript.began({ ...group, of: job ?? call.toolCallId }),
      progress,
    }),
  }
  return {
    team,
    transcript,
    notices,
    jobs,
    accounts,
    talk,
    hooks: plan.hooks,
    run,
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

/** A job is on record before it begins, so that whoever resumes can say what became of it. */
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

/** Milliseconds: a model takes longer to answer, so before each call of one somebody has looked. */
const LOOK_AT_DOOR = 100

function atMostEvery(milliseconds: number, work: () => Promise<void>): () => Promise<void> {
  let last = Number.NEGATIVE_INFINITY
  return async () => {
    if (performance.now() - last < milliseconds) return
    await work()
    last = performance.now()
  }
}
