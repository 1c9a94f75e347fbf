import type { SessionUpdate } from '@agentclientprotocol/sdk'
import type { Agent } from '../../agent/agent.ts'
import type { AgentEvent } from '../../agent/agent-event.ts'
import { asPart, INTERRUPTED } from '../../agent/calls/run-calls.ts'
import { CUT_SHORT } from '../../agent/transcript/transcript-fold.ts'
import { createIds } from '../../journal/ids.ts'
import { bounded, boundedLine } from '../../mcp/client/untrusted-text.ts'
import type { AssistantTurn, Reply, ReplyEnd, ToolCall } from '../../models/model.ts'
import type { Usage } from '../../team/members/usage.ts'
import { inputOf, isDescribed, joined, resultOf, teamToolOf, toolNameOf, type VendorCall } from './vendor-call.ts'

/** Writes what a vendor's program says in one turn to the transcript, in order, and reports it. */
export interface TurnRecorder {
  add(update: SessionUpdate): void
  /** The program asks whether it may do this. Returns all that is known of the call. */
  asked(call: VendorCall): VendorCall
  /** Records a call of one of our own tools, with the words before it; it has no result yet. */
  beginOwn(call: ToolCall): Promise<void>
  /** Resolves when all that was added is in the transcript. */
  written(): Promise<void>
  /** The turn is over: calls without a result get one, and the last words are recorded, as no answer if it was interrupted. */
  end(how: ReplyEnd | 'interrupted', used: Used): Promise<string>
}

/** What a prompt used, as far as the program says it. */
export interface Used {
  readonly usage: Usage
  /** In US dollars; null where it is unknown. */
  readonly cost: number | null
}

export interface RecorderOptions {
  readonly agent: Agent
  /** Names of our own tools: their calls are recorded where they arrive. */
  readonly teamTools: readonly string[]
  emit(event: AgentEvent): void
  onFailure(error: unknown): void
}

/** Of the words of one answer; more is left out. */
const MAX_TEXT_CHARACTERS = 1_000_000
/** The most calls of one turn that are recorded. */
const MAX_CALLS = 5_000

const NO_USAGE: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }

export function createTurnRecorder({ agent, teamTools, emit, onFailure }: RecorderOptions): TurnRecorder {
  const { transcript, model } = agent
  const newId = createIds()
  const known = new Map<string, VendorCall>()
  /** By the id that the program gave it. */
  const open = new Map<string, ToolCall>()
  const finished = new Set<string>()
  let text = ''
  let queue: Promise<void> = Promise.resolve()

  function enqueue(work: () => Promise<void>): Promise<void> {
    const done = queue.then(work)
    queue = done.catch(onFailure)
    return done
  }

  async function answer(content: AssistantTurn['content'], end: ReplyEnd, used: Used): Promise<Reply> {
    const reply = { turn: { role: 'assistant' as const, content }, end, ...used, model: model.name }
    await transcript.answer(reply)
    emit({ type: 'answered', reply })
    return reply
  }

  /** The words since the last call, and the call. */
  async function begin(call: ToolCall): Promise<void> {
    const words = text.trim() === '' ? [] : [{ type: 'text' as const, text }]
    text = ''
    await answer([...words, call], 'finished', { usage: NO_USAGE, cost: null })
  }

  async function beginCall(id: string, call: VendorCall): Promise<void> {
    const own: ToolCall = {
      type: 'tool-call',
      toolCallId: newId(),
      toolName: toolNameOf(call),
      input: inputOf(call),
    }
    open.set(id, own)
    await begin(own)
    emit({ type: 'tool_started', call: own })
  }

  async function finishCall(id: string, result: { text: string; isError?: boolean }): Promise<void> {
    const call = open.get(id)
    if (!call) return
    open.delete(id)
    finished.add(id)
    await transcript.result(asPart(call, result))
    emit({ type: 'tool_finished', call, result })
  }

  /** Undefined where it is one call too many. */
  function note(call: VendorCall): string | undefined {
    const id = call.toolCallId
    if (typeof id !== 'string' || (!known.has(id) && known.size >= MAX_CALLS)) return undefined
    known.set(id, joined(known.get(id), call))
    return id
  }

  /** A call is recorded as soon as it says what it does, and before the program may do it. */
  async function onCall(id: string, isDue = false): Promise<void> {
    const call = known.get(id)!
    if (finished.has(id) || teamToolOf(call, teamTools) !== undefined) return
    if (!open.has(id) && !isDue && !isDescribed(call)) return
    if (!open.has(id)) await beginCall(id, call)
    if (call.status === 'completed') return finishCall(id, { text: resultOf(call) })
    if (call.status === 'failed') return finishCall(id, { text: resultOf(call), isError: true })
    emit({ type: 'progress', call: open.get(id)!.toolCallId, text: boundedLine(call.title, 200) })
  }

  return {
    add(update) {
      switch (update.sessionUpdate) {
        case 'agent_message_chunk': {
          const delta = update.content?.type === 'text' ? bounded(update.content.text, MAX_TEXT_CHARACTERS) : ''
          return void enqueue(async () => {
            text = (text + delta).slice(0, MAX_TEXT_CHARACTERS)
            if (delta !== '') emit({ type: 'text', delta })
          })
        }
        case 'agent_thought_chunk': {
          const delta = update.content?.type === 'text' ? bounded(update.content.text, MAX_TEXT_CHARACTERS) : ''
          return void enqueue(async () => emit({ type: 'reasoning', delta }))
        }
        case 'tool_call':
        case 'tool_call_update': {
          const { sessionUpdate: _, ...call } = update
          const id = note(call)
          return id === undefined ? undefined : void enqueue(() => onCall(id))
        }
        default:
          return
      }
    },
    asked(call) {
      const id = note(call)
      if (id === undefined) return call
      void enqueue(() => onCall(id, true))
      return known.get(id)!
    },
    beginOwn: (call) => enqueue(() => begin(call)),
    written: () => queue,
    async end(how, used) {
      await enqueue(async () => {
        for (const id of known.keys()) {
          await onCall(id, true)
          await finishCall(id, INTERRUPTED)
        }
      })
      const said = text
      await enqueue(async () => {
        const words = { type: 'text' as const, text: said }
        const reply =
          how === 'interrupted'
            ? await answer([{ ...words, providerOptions: CUT_SHORT }], 'finished', used)
            : await answer([words], how, used)
        agent.recordUsage(reply)
      })
      return said
    },
  }
}
