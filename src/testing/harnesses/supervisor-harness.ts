import { z } from 'zod'
import type { OpenAgent } from '../../agent/agent.ts'
import { noUsage } from '../../agent/agent.ts'
import { recoverInterruptedCalls } from '../../agent/calls/recover-interrupted-calls.ts'
import { createFence } from '../../agent/fence.ts'
import { inputBudget } from '../../agent/input/choose-mail.ts'
import { createInbox } from '../../agent/input/inbox.ts'
import { createNotices } from '../../agent/input/notices.ts'
import { runLoop } from '../../agent/loop.ts'
import { createMembership } from '../../agent/membership.ts'
import type { Ask } from '../../agent/questions.ts'
import {
  DEFAULT_SUPERVISOR_SETTINGS,
  type Run,
  type SessionContext,
  type SupervisorSettings,
} from '../../agent/session-context.ts'
import type { SessionEvent } from '../../agent/session-event.ts'
import { openTranscript } from '../../agent/transcript/transcript.ts'
import { openTeam } from '../../journal/team-handle.ts'
import type { ModelRequest } from '../../models/model.ts'
import { closedChangeGate, createPermissions } from '../../permissions/permissions.ts'
import { policyOf } from '../../permissions/rules/policy.ts'
import { situationText } from '../../prompts/situation.ts'
import { createPlace, openMemoryStore } from '../../stores/memory/store.ts'
import { createTaskCommits } from '../../supervisor/commits/task-commits.ts'
import { createPermissionRequests } from '../../supervisor/requests/permission-requests.ts'
import { openSupervisedTeam } from '../../supervisor/supervised-team.ts'
import { withHandOver } from '../../supervisor/teammate/hand-over.ts'
import type { RunInPlace, TeammateFactory } from '../../supervisor/teammate/teammate-factory.ts'
import type { Author } from '../../team/event.ts'
import type { Member } from '../../team/members/member.ts'
import { isFinished } from '../../team/progress/finished.ts'
import { isRefusal } from '../../team/refusal.ts'
import { refusalText } from '../../team/refusal-text.ts'
import type { Task } from '../../team/task.ts'
import { defineTool } from '../../tools/define-tool.ts'
import type { Spelling } from '../../tools/own-tool.ts'
import { toolsForTeammate } from '../../tools/registry.ts'
import type { Tool, ToolContext } from '../../tools/tool.ts'
import { manualClock } from '../manual-clock.ts'
import { type Compose, composedModel, untilAborted } from './composed-model.ts'

export { type Compose, neverAnswers } from './composed-model.ts'

export interface SupervisorHarnessOptions {
  readonly place?: ReturnType<typeof createPlace>
  readonly clock?: ReturnType<typeof manualClock>
  readonly settings?: Partial<SupervisorSettings>
  /** Does the task of a lost teammate; by default it completes the task. */
  readonly runInPlaceOf?: TeammateFactory['runInPlaceOf']
  readonly uncommitted?: SessionContext['uncommitted']
  /** Called when the conversation of an agent was closed; it may throw. */
  readonly onAgentClosed?: (name: string) => Promise<void>
  /** Called before an agent reads its next input. */
  readonly beforeInput?: (name: string) => Promise<void>
  /** Asks a person before an agent changes something; without it everything is allowed. */
  readonly ask?: Ask
  /** Of the team tools. */
  readonly spelling?: Spelling
}

const open = new Set<{ close(): Promise<void> }>()

/** Closes every supervised team of a test that is still open; pass it to `afterEach`. */
export async function closeSupervisors(): Promise<void> {
  for (const harness of open) await harness.close()
}

/** A supervised team in memory: everything is real but the model, the disk and the clock. */
export async function supervisorHarness(
  compose: Compose,
  {
    place = createPlace(),
    clock = manualClock(),
    settings = {},
    runInPlaceOf,
    uncommitted = async () => undefined,
    onAgentClosed = async () => {},
    beforeInput = async () => {},
    ask,
    spelling = 'team',
  }: SupervisorHarnessOptions = {},
) {
  const store = await openMemoryStore(place)
  const team = await openTeam(store, 'web', { clock })
  await team.run({ type: 'team.create', team: 'web' })
  await team.run({ type: 'supervise', runtime: store.presence.self })
  const spawned = await team.run({ type: 'member.spawn', name: 'lead', role: 'lead', runtime: store.presence.self })
  if (isRefusal(spawned)) throw new Error(refusalText(spawned))
  const lead: Author = {
    name: 'lead',
    generation: spawned.member!.generation,
    epoch: team.state.supervisor.get().epoch,
  }
  const events: SessionEvent[] = []
  const waiting: AbortSignal[] = []
  const waitTool = defineTool({
    name: 'wait',
    description: 'Ends when it is aborted.',
    input: z.object({}),
    action: () => ({ kind: 'run', tool: 'wait', command: 'wait' }),
    run(_, { signal }) {
      waiting.push(signal)
      return untilAborted(signal)
    },
  })
  const { model, requests: modelRequests } = composedModel(compose)
  const run: Run = {
    used: noUsage(),
    emit: (event: SessionEvent) => void events.push(event),
    end: async () => {},
    isFinished: () => isFinished(team.state),
    onChange() {},
  }
  const commits = createTaskCommits({ root: '/', folders: [], env: {}, sandbox: undefined, clock, run, isOn: false })
  const context = {
    store,
    clock,
    uncommitted,
    limits: {},
    scaling: [],
    keepsMembers: false,
    limitsAllRuns: false,
    watchViews: () => async () => [],
    commits,
    agentTypes: [],
    gatesOf: () => ({ idle: false, completion: false }),
    supervisor: { ...DEFAULT_SUPERVISOR_SETTINGS, ...settings },
    run,
  } as unknown as SessionContext
  const supervised = openSupervisedTeam(
    context,
    { team, by: lead },
    { openAgent, runInPlaceOf: runInPlaceOf ?? completeTask },
  )

  async function completeTask({ task: { id }, as }: RunInPlace): Promise<{ text: string }> {
    await team.run({ type: 'task.complete', id, result: 'done by a replacement' }, { by: as })
    return { text: 'Done.' }
  }

  async function openAgent({ name }: Member, by: Author): Promise<OpenAgent> {
    const log = await store.log(`web/transcripts/${name}`)
    const transcript = await openTranscript({ log, generation: by.generation! })
    const notices = createNotices()
    await recoverInterruptedCalls({ transcript, notices, team }, async () => {})
    const memberships = [
      withHandOver(
        context,
        createMembership({ team, by }, (id) => transcript.state.mail.has(id)),
      ),
    ]
    const inbox = createInbox({
      memberships: () => [{ team, by }],
      transcript,
      notices,
      budget: inputBudget({ model }, (_, about) => about),
    })
    return {
      jobs: {
        start: () => {
          throw new Error('no jobs here')
        },
        get: () => undefined,
        list: () => [],
      },
      flushReports() {},
      async settleReports() {},
      setActivity() {},
      runTurn: runLoop,
      name,
      system: `You are ${name}.`,
      model,
      tools: [...toolsForTeammate({ type: { tools: [] }, spelling }), ...exampleTools, waitTool],
      limits: {},
      transcript,
      used: noUsage(),
      memory: { keep: (_, about) => about, situation: async () => situationText(team.state, name, 'your team') },
      inbox: {
        ...inbox,
        async next() {
          await beforeInput(name)
          return inbox.next()
        },
      },
      recordUsage() {},
      permissions: createPermissions({
        policy: { current: policyOf({ mode: ask ? 'default' : 'bypassPermissions' }, '/workspace') },
        sandbox: { state: 'on', mode: 'auto' },
        changeGate: () => closedChangeGate(team, name),
        person: createPermissionRequests(ask, clock).of(team, by),
      }),
      toolContext: (call, signal, progress) =>
        ({
          agent: name,
          team: 'web',
          callId: call.toolCallId,
          signal,
          progress,
          memberships: () => memberships,
          fence: createFence({ team, presence: store.presence }, by),
        }) as unknown as ToolContext,
      async [Symbol.asyncDispose]() {
        await transcript[Symbol.asyncDispose]()
        await onAgentClosed(name)
      },
    }
  }

  const harness = {
    supervised,
    context,
    team,
    lead,
    place,
    clock,
    modelRequests,
    events,
    /** The signals of the calls of `wait`. */
    waiting,
    /** The requests to the model of this agent, oldest first. */
    requestsOf: (name: string) => modelRequests.filter(({ agent }) => agent === name),
    async tasks(...drafts: (Partial<Task> & { subject: string })[]) {
      const answer = await team.run(
        { type: 'task.add', tasks: drafts.map((draft) => ({ description: '', ...draft })) },
        { by: lead },
      )
      if (isRefusal(answer)) throw new Error(refusalText(answer))
    },
    /** Resolves when the condition holds; it is checked in every round of the event loop. */
    async until(condition: () => boolean, what = String(condition)): Promise<void> {
      for (let i = 0; i < 2000 && !condition(); i++) await new Promise((resolve) => setImmediate(resolve))
      if (!condition()) throw new Error(`Never true: ${what}`)
    },
    /** As if the process had died: nothing more is written or reported. */
    async crash(): Promise<void> {
      open.delete(harness)
      place.runtimes.delete(store.presence.self)
      await supervised.close()
    },
    async close(): Promise<void> {
      open.delete(harness)
      await supervised.close()
      await team.close()
      await store[Symbol.asyncDispose]()
    },
  }
  open.add(harness)
  return harness
}

export type SupervisorHarness = Awaited<ReturnType<typeof supervisorHarness>>

/** `work` changes something, `peek` only looks. */
export const exampleTools: readonly Tool[] = [
  defineTool({
    name: 'work',
    description: 'Changes something.',
    input: z.object({}),
    action: () => ({ kind: 'run', tool: 'work', command: 'work' }),
    run: () => 'changed',
  }),
  defineTool({
    name: 'peek',
    description: 'Looks.',
    input: z.object({}),
    action: () => ({ kind: 'read', tool: 'peek', path: 'a' }),
    run: () => 'seen',
  }),
]

/** The last turn of a model request, as JSON. */
export function lastTurnText({ turns }: ModelRequest): string {
  return JSON.stringify(turns.at(-1))
}
