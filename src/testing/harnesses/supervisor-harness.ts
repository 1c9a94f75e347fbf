import { z } from 'zod'
import type { OpenAgent } from '../../agent/agent.ts'
import { noUsage } from '../../agent/agent.ts'
import { inputBudget } from '../../agent/choose-mail.ts'
import { createFence } from '../../agent/fence.ts'
import { createInbox } from '../../agent/inbox.ts'
import { createMembership } from '../../agent/membership.ts'
import { createNotices } from '../../agent/notices.ts'
import type { Ask } from '../../agent/questions.ts'
import {
  DEFAULT_SUPERVISOR_SETTINGS,
  type SessionContext,
  type SupervisorSettings,
} from '../../agent/session-context.ts'
import type { SessionEvent } from '../../agent/session-event.ts'
import { openTranscript } from '../../agent/transcript/transcript.ts'
import { openTeam } from '../../journal/team-handle.ts'
import type { ModelRequest } from '../../models/model.ts'
import { closedPlanGate } from '../../permissions/plan-gate.ts'
import { situationText } from '../../prompts/situation.ts'
import { createPlace, openMemoryStore } from '../../stores/memory/store.ts'
import { askPerson } from '../../supervisor/ask-person.ts'
import { openSupervisedTeam } from '../../supervisor/supervised-team.ts'
import type { TeammateFactory } from '../../supervisor/teammate-factory.ts'
import type { Author } from '../../team/event.ts'
import { isFinished } from '../../team/finished.ts'
import type { Member } from '../../team/member.ts'
import { isRefusal } from '../../team/refusal.ts'
import { refusalText } from '../../team/refusal-text.ts'
import type { Task } from '../../team/task.ts'
import { defineTool } from '../../tools/define-tool.ts'
import { toolsForTeammate } from '../../tools/registry.ts'
import type { Tool, ToolContext } from '../../tools/tool.ts'
import { manualClock } from '../manual-clock.ts'
import { type Compose, composedModel } from './composed-model.ts'

export type { Compose } from './composed-model.ts'

/** A team in memory with everything real but the model, the disk and the time. Only for tests. */
export async function supervisorHarness({
  mind,
  place = createPlace(),
  clock = manualClock(),
  settings = {},
  errand,
  uncommitted = async () => undefined,
  putAway = async () => {},
  listening = async () => {},
  ask,
}: {
  mind: Compose
  place?: ReturnType<typeof createPlace>
  clock?: ReturnType<typeof manualClock>
  settings?: Partial<SupervisorSettings>
  errand?: TeammateFactory['runInPlaceOf']
  uncommitted?: SessionContext['uncommitted']
  /** A desk is cleared; it may throw. */
  putAway?: (name: string) => Promise<void>
  /** Somebody is about to look for news. */
  listening?: (name: string) => Promise<void>
  /** Whom everybody asks before it changes something; without it everything is allowed. */
  ask?: Ask
}) {
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
  const { model, requests: asked } = composedModel(mind)
  const context = {
    store,
    clock,
    uncommitted,
    limits: {},
    supervisor: { ...DEFAULT_SUPERVISOR_SETTINGS, ...settings },
    run: {
      used: noUsage(),
      emit: (event: SessionEvent) => void events.push(event),
      end: async () => {},
      isFinished: () => isFinished(team.state),
      onChange() {},
    },
  } as unknown as SessionContext
  const crew = openSupervisedTeam(
    context,
    { team, by: lead },
    { openAgent: openExampleAgent, runInPlaceOf: errand ?? completing },
  )

  async function completing({ id }: Task, _: Member, as: Author): Promise<{ text: string }> {
    await team.run({ type: 'task.complete', id, result: 'done by an errand' }, { by: as })
    return { text: 'Done.' }
  }

  async function openExampleAgent({ name }: Member, by: Author): Promise<OpenAgent> {
    const log = await store.log(`web/transcripts/${name}`)
    const transcript = await openTranscript({ log, generation: by.generation! })
    const notices = createNotices()
    const memberships = [createMembership({ team, by }, (id) => transcript.state.mail.has(id))]
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
      name,
      system: `You are ${name}.`,
      model,
      tools: [...toolsForTeammate({ type: { tools: [] } }), ...exampleTools],
      limits: {},
      transcript,
      used: noUsage(),
      memory: { keep: (_, about) => about, situation: async () => situationText(team.state, name, 'your team') },
      inbox: {
        ...inbox,
        async next() {
          await listening(name)
          return inbox.next()
        },
      },
      recordUsage() {},
      permissions: {
        async check(action, call, signal) {
          if (action === undefined || action.kind === 'read') return { allowed: true }
          const closed = closedPlanGate(team, name)
          if (closed !== undefined) return { allowed: false, why: closed, isTemporary: true }
          if (!ask) return { allowed: true }
          const question = { agent: name, team: 'web', call, action, why: 'no rule allows it', rules: [] }
          return askPerson({ team, by, ask }, question, signal)
        },
      },
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
        await putAway(name)
      },
    }
  }

  return {
    crew,
    context,
    team,
    lead,
    place,
    clock,
    asked,
    events,
    /** What this agent's model was asked, the newest last. */
    askedOf: (name: string) => asked.filter(({ agent }) => agent === name),
    async tasks(...drafts: (Partial<Task> & { subject: string })[]) {
      const answer = await team.run(
        { type: 'task.add', tasks: drafts.map((draft) => ({ description: '', ...draft })) },
        { by: lead },
      )
      if (isRefusal(answer)) throw new Error(refusalText(answer))
    },
    /** Resolves when it is so; every change of the team is looked at. */
    async until(isSo: () => boolean, what = String(isSo)): Promise<void> {
      for (let i = 0; i < 2000 && !isSo(); i++) await new Promise((resolve) => setImmediate(resolve))
      if (!isSo()) throw new Error(`It never came about that ${what}`)
    },
    /** As if the process had died: nothing more is written, nobody is told. */
    async crash() {
      place.runtimes.delete(store.presence.self)
      await crew.close()
    },
    async close() {
      await crew.close()
      await team.close()
      await store[Symbol.asyncDispose]()
    },
  }
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

/** The words of the last turn that a model was asked with. */
export function lastTurnText({ turns }: ModelRequest): string {
  return JSON.stringify(turns.at(-1))
}
