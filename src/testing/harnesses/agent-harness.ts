import { z } from 'zod'
import { type Agent, createNotices, type Limits, type Notices, noUsage } from '../../agent/agent.ts'
import type { AgentEvent, Stop } from '../../agent/agent-event.ts'
import { inputBudget } from '../../agent/choose-mail.ts'
import { runLoop } from '../../agent/loop.ts'
import { nextMailInput } from '../../agent/next-input.ts'
import { openTranscript } from '../../agent/transcript/transcript.ts'
import type { Store } from '../../journal/store.ts'
import { openTeam, type TeamHandle } from '../../journal/team-handle.ts'
import { type Model, ModelFailure, type ModelRequest, type Reply, type Turn } from '../../models/model.ts'
import { createPlace, openMemoryStore } from '../../stores/memory/store.ts'
import { defineTool } from '../../tools/define-tool.ts'
import type { Tool, ToolContext } from '../../tools/tool.ts'

export const usage = { input: 10, cacheRead: 0, cacheWrite: 0, output: 5 }
type Call = { id: string; tool: string; input?: unknown }

type Said = Partial<Reply> & { text?: string; calls?: Call[] }

/** Answers in order, and keeps what it was asked. */
export function played(...answers: ((request: ModelRequest) => Said | Promise<Said>)[]) {
  const asked: Turn[][] = []
  const model: Model = {
    name: 'played/one',
    provider: 'played',
    context: undefined,
    price: undefined,
    async *reply(request, signal) {
      signal.throwIfAborted()
      asked.push(structuredClone([...request.turns]))
      const next = answers.shift()
      if (!next) throw new ModelFailure({ model: 'played/one', fault: 'script' }, 'Nothing is left to say.')
      const { text = '', calls = [], ...rest } = await next(request)
      if (text) yield { type: 'text', delta: text }
      const parts = calls.map(({ id, tool, input = {} }) => ({
        type: 'tool-call' as const,
        toolCallId: id,
        toolName: tool,
        input,
      }))
      const turn = { role: 'assistant' as const, content: [{ type: 'text' as const, text }, ...parts] }
      return { turn, end: 'finished', usage, cost: 0.01, model: 'played/one', ...rest }
    },
  } as Model
  return { model, asked }
}

const open: AsyncDisposable[] = []

/** To be called after each test. */
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
  /** By default one in memory, at this place. */
  store?: Promise<Store>
  generation?: number
  mayDo?: Agent['check']
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
    nextInput: () => nextMailInput({ team, transcript, notices, portion: inputBudget({ model }, memory.keep) }, by),
    acknowledge: async (ids, turn) => void (await team.acknowledge('lead', ids, null, { by, turn })),
    recordUsage({ usage, cost, model }) {
      // Whoever works meets the same trouble.
      team.report([{ type: 'usage', member: 'lead', model, usage, cost }], { by }).catch(() => {})
    },
    check: mayDo,
    toolContext: (call, signal, progress) =>
      ({ callId: call.toolCallId, signal, progress, fence: async () => {} }) as ToolContext,
  }
}

export async function run(talk: Agent, signal = new AbortController().signal) {
  const events: AgentEvent[] = []
  const loop = runLoop(talk, signal)
  for (;;) {
    const step = await loop.next()
    if (step.done) return { stop: step.value as Stop, events }
    events.push(step.value)
  }
}

export const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  input: z.object({ text: z.string() }),
  onlyLooks: true,
  run: ({ text }) => `${text}!`,
})
