import { z } from 'zod'
import { type Agent, type Limits, noUsage } from '../../agent/agent.ts'
import type { AgentEvent, Stop } from '../../agent/agent-event.ts'
import { inputBudget } from '../../agent/input/choose-mail.ts'
import { createInbox } from '../../agent/input/inbox.ts'
import { createNotices, type Notices } from '../../agent/input/notices.ts'
import { runLoop } from '../../agent/loop.ts'
import { openTranscript } from '../../agent/transcript/transcript.ts'
import type { Store } from '../../journal/log/store.ts'
import { openTeam, type TeamHandle } from '../../journal/team-handle.ts'
import type { Model, ModelRequest, Turn } from '../../models/model.ts'
import type { Compose } from '../../models/scripted/script.ts'
import { scriptedModel } from '../../models/scripted/scripted-model.ts'
import { createPlace, openMemoryStore } from '../../stores/memory/store.ts'
import { defineTool } from '../../tools/define-tool.ts'
import type { Tool, ToolContext } from '../../tools/tool.ts'

export const usage = { input: 10, cacheRead: 0, cacheWrite: 0, output: 5 }
/** Answers in order, each answer once, and keeps the turns of every request. An answer costs 0.01 by default. */
export function answeringModel(...answers: Compose[]) {
  const asked: Turn[][] = []
  const parts = answers.map((answer) => ({
    async compose(request: ModelRequest, signal: AbortSignal) {
      asked.push(structuredClone([...request.turns]))
      return { usage, ...(await answer(request, signal)) }
    },
  }))
  return { model: scriptedModel({ parts, price: { output: 2000 } }), asked }
}

const open: AsyncDisposable[] = []

/** Closes every agent of a test; pass it to `afterEach`. */
export async function closeAgents(): Promise<void> {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]()
}

export type AgentHarness = Agent & { readonly team: TeamHandle; readonly notices: Notices }

export async function agentHarness({
  model,
  tools = [],
  limits = {},
  place = createPlace(),
  store = openMemoryStore(place),
  generation = 1,
  mayDo = async () => ({ allowed: true as const }),
}: {
  model: Model
  tools?: readonly Tool[]
  limits?: Limits
  place?: ReturnType<typeof createPlace>
  /** A memory store at this place by default. */
  store?: Promise<Store>
  generation?: number
  mayDo?: Agent['permissions']['check']
}): Promise<AgentHarness> {
  const { log } = await store
  const team = await openTeam(await store, 'web')
  await team.run({ type: 'team.create', team: 'web' })
  const transcript = await openTranscript({ log: await log('web/transcripts/lead'), generation })
  open.push(team, transcript)
  const notices = createNotices()
  const by = { name: 'lead' }
  const memory = { keep: (_: unknown, about: string) => `outputs/${about}.txt`, situation: async () => 'You are lead.' }
  return {
    name: 'lead',
    system: 'You lead.',
    model,
    tools,
    limits,
    team,
    transcript,
    used: noUsage(),
    memory,
    notices,
    inbox: createInbox({
      memberships: () => [{ team, by }],
      transcript,
      notices,
      budget: inputBudget({ model }, memory.keep),
    }),
    recordUsage({ usage, cost, model }) {
      // The agent meets the same failure with its next append.
      team.report([{ type: 'usage', member: 'lead', model, usage, cost }], { by }).catch(() => {})
    },
    permissions: { check: mayDo },
    toolContext: (call, signal, progress) =>
      ({ callId: call.toolCallId, signal, progress, fence: async () => {} }) as ToolContext,
  }
}

/** Runs the loop of an agent until it stops; returns the stop and every event in order. */
export async function run(agent: Agent, signal = new AbortController().signal) {
  const events: AgentEvent[] = []
  const loop = runLoop(agent, signal)
  for (;;) {
    const step = await loop.next()
    if (step.done) return { stop: step.value as Stop, events }
    events.push(step.value)
  }
}

export const echo = defineTool({
  name: 'echo',
  description: 'Repeats the text.',
  input: z.object({ text: z.string() }),
  isReadOnly: true,
  run: ({ text }) => `${text}!`,
})
