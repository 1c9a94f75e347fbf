import { z } from 'zod'
import { type Model, ModelFailure, type ModelRequest, type Reply, type Turn } from '../../ports/model.ts'
import type { Store } from '../../ports/store.ts'
import type { Tool, ToolWorld } from '../../ports/tool.ts'
import { createPlace, openMemoryStore } from '../../stores/memory/memory-store.ts'
import { defineTool } from '../../tools/define-tool.ts'
import { openTeam, type Team } from '../team.ts'
import { openTranscript } from '../transcript.ts'
import type { AgentEvent, Stop } from './agent-event.ts'
import { type Conversation, createNotices, type Limits, type Notices, nothingUsed } from './conversation.ts'
import { converse } from './converse.ts'
import { mailNews } from './mail-news.ts'
import { portionOf } from './portion.ts'

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
export async function closeTalks(): Promise<void> {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]()
}

export type Talk = Conversation & { readonly team: Team; readonly notices: Notices }

export async function talkOf({
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
  mayDo?: Conversation['mayDo']
}): Promise<Talk> {
  const { log } = await store
  const team = await openTeam(await store, 'web')
  await team.run({ type: 'team.create', team: 'web' })
  const transcript = await openTranscript({ log: await log('web/transcripts/lead'), generation })
  open.push(team, transcript)
  const notices = createNotices()
  const by = { name: 'lead' }
  const memory = { keep: (_: unknown, about: string) => `outputs/${about}.txt`, situation: async () => 'You are lead.' }
  return {
    agent: { name: 'lead', system: 'You lead.', model, tools, limits },
    team,
    transcript,
    used: nothingUsed(),
    memory,
    notices,
    listen: () => mailNews({ team, transcript, notices, portion: portionOf({ model }, memory.keep) }, by),
    acknowledge: async (ids, turn) => void (await team.acknowledge('lead', ids, null, { by, turn })),
    account({ usage, cost, model }) {
      // Whoever works meets the same trouble.
      team.report([{ type: 'usage', member: 'lead', model, usage, cost }], { by }).catch(() => {})
    },
    mayDo,
    worldOf: (call, signal, progress) =>
      ({ call: call.toolCallId, signal, progress, fence: async () => {} }) as ToolWorld,
  }
}

export async function run(talk: Conversation, signal = new AbortController().signal) {
  const events: AgentEvent[] = []
  const loop = converse(talk, signal)
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
