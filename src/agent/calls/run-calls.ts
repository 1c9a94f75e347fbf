import { type Order, turnOnly } from '../../journal/replay/order.ts'
import { malformedInput } from '../../models/malformed-input.ts'
import type { ToolCall, Turn } from '../../models/model.ts'
import { CALL_INTERRUPTED_BY_USER, deniedCallText, INTERRUPTED_CALL } from '../../prompts/notices.ts'
import { isReady, type ReadyCall, readyCall } from '../../tools/run-call.ts'
import type { AnswerOfCall, ToolResult } from '../../tools/tool.ts'
import { INTERRUPTED_BY_USER, isAborted } from '../aborted.ts'
import type { Agent } from '../agent.ts'
import type { AgentEvent } from '../agent-event.ts'
import { createChannel } from '../channel.ts'
import { type CallResult, commandIdOf, unanswered } from '../transcript/transcript-fold.ts'
import type { RepeatedFailures } from './repeated-failures.ts'

/**
 * Runs the calls of the last turn: side by side where they cannot disturb each other, else in order. Every call gets
 * exactly one result, however it ends, because a conversation with an unanswered call cannot continue.
 */
export async function* runCalls(
  agent: Agent,
  signal: AbortSignal,
  failures: RepeatedFailures,
): AsyncGenerator<AgentEvent, void> {
  const steps: Step[] = []
  const { state } = agent.transcript
  const text = textOf(state.turns.at(-1))
  const calls = unanswered(state)
  for (const [i, call] of calls.entries()) {
    const input = malformedInput(call) ?? call.input
    const ready = await readyCall(agent.tools, { name: call.toolName, input })
    const answer = { text, isLastCall: i === calls.length - 1, commandId: commandIdOf(state, call) }
    steps.push({ at: i + 1, call, ready, answer })
  }
  for (const wave of waves(steps)) {
    const channel = createChannel<AgentEvent>()
    // A caller may stop reading events; the calls that run still get their results.
    const all = Promise.allSettled(wave.map((step) => run(agent, step, signal, channel.put, failures))).finally(
      channel.end,
    )
    yield* channel
    for (const ended of await all) if (ended.status === 'rejected') throw ended.reason
  }
  // Where steps have an order, an interruption takes effect with the next one.
  if (!agent.order) signal.throwIfAborted()
}

/**
 * Runs one call of an agent whose answers come in pieces: it stands in the transcript as the last one, and others may follow in
 * the same answer. Returns its result.
 */
export async function runOneCall(
  agent: Agent,
  call: ToolCall,
  signal: AbortSignal,
  emit: (event: AgentEvent) => void,
  failures: RepeatedFailures,
): Promise<ToolResult> {
  const { state } = agent.transcript
  const ready = await readyCall(agent.tools, { name: call.toolName, input: call.input })
  const text = textOf(state.turns.findLast(({ role }) => role === 'assistant'))
  const answer = { text, isLastCall: false, commandId: commandIdOf(state, call) }
  return run(agent, { at: 1, call, ready, answer }, signal, emit, failures)
}

/** A call with the tool that can carry it out, or with what is wrong with it. */
interface Step {
  /** Among the calls of the answer, from 1. */
  readonly at: number
  readonly call: ToolCall
  readonly ready: ReadyCall | ToolResult
  readonly answer: AnswerOfCall
}

function textOf(turn: Turn | undefined): string {
  if (turn?.role !== 'assistant') return ''
  return turn.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
}

async function run(
  agent: Agent,
  step: Step,
  signal: AbortSignal,
  emit: (event: AgentEvent) => void,
  failures: RepeatedFailures,
): Promise<ToolResult> {
  const { call } = step
  emit({ type: 'tool_started', call })
  const progress = (text: string) => emit({ type: 'progress', call: call.toolCallId, text })
  const refused = failures.refuse(call)
  const carryOut = async () => (refused ? { result: refused } : outcomeOf(agent, step, signal, progress))
  const name = `${agent.name} call ${step.at} ${call.toolName}`
  const {
    result: outcome,
    denied,
    byHook,
  }: Outcome = await (agent.order ? agent.order.span(name, carryOut) : carryOut())
  const result = failures.add(call, outcome)
  const isHarmless = !isReady(step.ready) || step.ready.isRepeatable
  await agent.transcript.result(asPart(call, result), result, isHarmless)
  if (result.mail?.length) await agent.inbox.acknowledge(result.mail, agent.transcript.state.mail.get(result.mail[0]!))
  emit({ type: 'tool_finished', call, result, denied, ...(byHook && { byHook }) })
  return result
}

interface Outcome {
  readonly result: ToolResult
  readonly denied?: string
  readonly byHook?: boolean | undefined
}

async function outcomeOf(
  agent: Agent,
  { call, ready, answer }: Step,
  signal: AbortSignal,
  progress: (text: string) => void,
): Promise<Outcome> {
  if (!isReady(ready)) return { result: ready }
  try {
    signal.throwIfAborted()
    const permission = await agent.permissions.check(ready.action, call, signal)
    if (!permission.allowed && permission.isTemporary) return { result: { text: permission.why, isError: true } }
    if (!permission.allowed) {
      const { why, forUser = why, byHook } = permission
      return { result: { text: deniedCallText(why), isError: true }, denied: forUser, byHook }
    }
    // Else a power cut could remove the call after its effect, and the model would make it again.
    if (!ready.isRepeatable) await agent.transcript.synced()
    const context = { ...agent.toolContext(call, signal, progress), answer }
    const carryOut = async () => {
      signal.throwIfAborted()
      return ready.run(context)
    }
    return { result: await (agent.order ? inTurn(agent.name, agent.order, ready, carryOut) : carryOut()) }
  } catch (error) {
    if (!isAborted(error, signal)) throw error
    return { result: signal.reason === INTERRUPTED_BY_USER ? INTERRUPTED_HERE : INTERRUPTED }
  }
}

/** Where the run is recorded or replayed, calls that touch the same file run in the recorded order. */
async function inTurn<T>(agent: string, order: Order, { action, tool }: ReadyCall, work: () => Promise<T>): Promise<T> {
  const isShort = action?.kind === 'read' || action?.kind === 'write'
  const name = `${agent} runs ${tool.name}`
  if (isShort) return order.step(name, work)
  await order.step(name, turnOnly)
  return work()
}

/** It may have taken effect, wholly, in part, or not at all: the model has to check before it makes the call again. */
export const INTERRUPTED: ToolResult = {
  text: INTERRUPTED_CALL,
  isError: true,
}

const INTERRUPTED_HERE: ToolResult = { text: CALL_INTERRUPTED_BY_USER, isError: true }

export function asPart(call: ToolCall, { text, isError, images = [] }: ToolResult): CallResult {
  const { toolCallId, toolName } = call
  const pictures = images.map(({ data, mediaType }) => ({ type: 'image-data' as const, data, mediaType }))
  const output = isError
    ? { type: 'error-text' as const, value: text }
    : pictures.length > 0
      ? { type: 'content' as const, value: [{ type: 'text' as const, text }, ...pictures] }
      : { type: 'text' as const, value: text }
  return { type: 'tool-result', toolCallId, toolName, output }
}

/** Neighbours that may run side by side, in groups; every other call by itself. */
function waves(steps: readonly Step[]): Step[][] {
  const groups: Step[][] = []
  let isOpen = false
  for (const step of steps) {
    const isParallel = !isReady(step.ready) || step.ready.isParallel
    if (isParallel && isOpen) groups.at(-1)?.push(step)
    else groups.push([step])
    isOpen = isParallel
  }
  return groups
}
