import type { PromptResponse, RequestPermissionOutcome, RequestPermissionRequest } from '@agentclientprotocol/sdk'
import { isAborted } from '../../agent/aborted.ts'
import { type Agent, limitReached, type RunTurn } from '../../agent/agent.ts'
import type { AgentEvent, Stop } from '../../agent/agent-event.ts'
import { createRepeatedFailures } from '../../agent/calls/repeated-failures.ts'
import { runOneCall } from '../../agent/calls/run-calls.ts'
import { createChannel } from '../../agent/channel.ts'
import { type PendingAcknowledgement, receiveInput } from '../../agent/input/receive-input.ts'
import { stopAtLimit } from '../../agent/loop.ts'
import { awaitsAnswer } from '../../agent/transcript/transcript-fold.ts'
import type { AlarmClock } from '../../journal/clock.ts'
import { createIds } from '../../journal/ids.ts'
import { boundedLine } from '../../mcp/client/untrusted-text.ts'
import type { ReplyEnd, ToolCall } from '../../models/model.ts'
import { VENDOR_GO_ON, vendorDeniedText } from '../../prompts/vendor-agent.ts'
import type { Usage } from '../../team/members/usage.ts'
import type { ToolResult } from '../../tools/tool.ts'
import { VendorAgentFailed } from './connection.ts'
import { checkVendorCall, outcomeOf } from './permission.ts'
import { createTurnRecorder, type TurnRecorder, type Used } from './turn-recorder.ts'
import type { LiveSession, VendorConversation } from './vendor-session.ts'

/** What runs the turns of a vendor's agent, and the calls of our tools that its program makes. */
export interface VendorLoop {
  readonly runTurn: RunTurn
  /** Carries out a call that arrived at our MCP server. */
  call(name: string, input: unknown, signal: AbortSignal): Promise<ToolResult>
}

export interface VendorLoopOptions {
  readonly conversation: VendorConversation
  readonly clock: AlarmClock
}

/** A program that was asked to cancel a turn has so long to end it, then it is ended itself. */
const CANCEL_SECONDS = 10
/** The most questions of a program that wait at the same time. */
const MAX_QUESTIONS = 16

interface RunningTurn {
  readonly agent: Agent
  readonly recorder: TurnRecorder
  readonly signal: AbortSignal
  emit(event: AgentEvent): void
  readonly failures: ReturnType<typeof createRepeatedFailures>
}

/**
 * The loop of an agent that another vendor's program runs: receive input, send it as a prompt, record what the program does.
 * The prompt is in the transcript, durably, before it is sent. Which model calls and tool calls follow from it is up to the program.
 */
export function createVendorLoop({ conversation, clock }: VendorLoopOptions): VendorLoop {
  const newId = createIds()
  /** Denials that the agent was told of: each once, so that one that insists is not prompted without end. */
  const reportedDenials = new Set<string>()
  let running: RunningTurn | undefined

  async function* runTurn(agent: Agent, signal: AbortSignal): AsyncGenerator<AgentEvent, Stop> {
    const owed: PendingAcknowledgement = { acknowledged: Promise.resolve() }
    let text = ''
    try {
      conversation.begin(agent)
      for (;;) {
        signal.throwIfAborted()
        yield* receiveInput(agent, owed, signal)
        if (!awaitsAnswer(agent.transcript.state)) return { kind: 'finished', text }
        if (limitReached(agent.limits, agent.used)) return stopAtLimit(agent, text)
        const session = await conversation.ready(agent, signal)
        signal.throwIfAborted()
        // Other agents of the run called meanwhile.
        if (limitReached(agent.limits, agent.used)) return stopAtLimit(agent, text)
        agent.used.purse.calls++
        const ended = yield* prompt(agent, session, signal)
        text = ended.text
        signal.throwIfAborted()
        if (ended.stop) return ended.stop
      }
    } catch (error) {
      if (isAborted(error, signal)) return { kind: 'aborted', text }
      return { kind: 'error', error: error instanceof Error ? error : new Error(String(error)), text }
    } finally {
      // The next write to the journal throws what went wrong with it.
      await owed.acknowledged.catch(() => {})
    }
  }

  /** One prompt, until the program says how it ended. */
  async function* prompt(
    agent: Agent,
    session: LiveSession,
    signal: AbortSignal,
  ): AsyncGenerator<AgentEvent, { readonly text: string; readonly stop?: Stop }> {
    const { connection } = session
    const channel = createChannel<AgentEvent>()
    const over = new AbortController()
    const onFailure = (error: unknown) => connection.fail(`what it did could not be recorded (${String(error)})`)
    const teamTools = agent.tools.map(({ name }) => name)
    const recorder = createTurnRecorder({ agent, teamTools, emit: channel.put, onFailure })
    const turn: RunningTurn = {
      ...{ agent, recorder, emit: channel.put, signal: AbortSignal.any([signal, over.signal]) },
      failures: createRepeatedFailures((blocker) => agent.reportBlocker?.(blocker)),
    }
    const blocks = await session.unsent(agent)
    // All of it is on disk before the program gets any of it.
    await agent.transcript.synced()
    signal.throwIfAborted()
    running = turn
    session.handler = {
      onUpdate: (update) => recorder.add(update),
      onPermission: createQuestions(turn, teamTools),
    }
    session.sent(agent)
    const stopCancelling = cancelOnAbort(session, signal)
    const answer = connection
      .prompt(session.id, blocks.length > 0 ? blocks : [{ type: 'text', text: VENDOR_GO_ON }])
      .finally(() => {
        session.handler = undefined
        running = undefined
        over.abort()
        stopCancelling()
      })
    const count = (response: PromptResponse | undefined): Used => {
      const used = usedBy(response, session)
      agent.used.purse.dollars += used.cost ?? 0
      return used
    }
    const ended = (async () => {
      try {
        const response = await answer
        await recorder.written()
        return await endTurn(agent, recorder, response, count(response), signal)
      } catch (error) {
        await recorder.end('interrupted', count(undefined)).catch(() => {})
        throw signal.aborted ? signal.reason : error
      } finally {
        channel.end()
      }
    })()
    // Handled where it is awaited.
    ended.catch(() => {})
    yield* channel
    return await ended
  }

  /** Asks the program to cancel the turn, and ends a program that does not. */
  function cancelOnAbort({ connection, id }: LiveSession, signal: AbortSignal): () => void {
    let takeBack = () => {}
    const cancel = () => {
      void connection.cancel(id)
      takeBack = clock.in(CANCEL_SECONDS, () =>
        connection.fail(`it did not cancel its turn within ${CANCEL_SECONDS} s`),
      )
    }
    if (signal.aborted) cancel()
    else signal.addEventListener('abort', cancel, { once: true })
    return () => {
      signal.removeEventListener('abort', cancel)
      takeBack()
    }
  }

  function createQuestions({ agent, recorder, signal }: RunningTurn, teamTools: readonly string[]) {
    let waiting = 0
    return async ({ toolCall, options }: RequestPermissionRequest): Promise<RequestPermissionOutcome> => {
      if (signal.aborted || waiting >= MAX_QUESTIONS) return { outcome: 'cancelled' }
      waiting++
      try {
        const id = newId()
        const call = recorder.asked(toolCall)
        const access = agent.toolContext(
          { type: 'tool-call', toolCallId: id, toolName: '', input: {} },
          signal,
          () => {},
        )
        const permission = await checkVendorCall(id, call, { agent, access, teamTools, signal })
        if (signal.aborted) return { outcome: 'cancelled' }
        if (!permission.allowed) tellDenial(agent, boundedLine(call.title, 200) || 'a tool call', permission.why)
        return outcomeOf(permission.allowed, options)
      } catch (error) {
        // A question that cannot be asked is not allowed, and the turn goes on.
        if (signal.aborted) return { outcome: 'cancelled' }
        tellDenial(agent, 'a tool call', String(error))
        return outcomeOf(false, options)
      } finally {
        waiting--
      }
    }
  }

  function tellDenial({ inbox }: Agent, what: string, why: string): void {
    const text = vendorDeniedText(what, why)
    if (reportedDenials.has(text)) return
    reportedDenials.add(text)
    inbox.notices.add({ text })
  }

  return {
    runTurn,
    async call(name, input, given) {
      const turn = running
      if (!turn) return { text: 'No turn of yours is running, so nothing was done.', isError: true }
      const { agent, recorder, emit, failures } = turn
      const signal = AbortSignal.any([turn.signal, given])
      const call: ToolCall = { type: 'tool-call', toolCallId: newId(), toolName: name, input }
      await recorder.beginOwn(call)
      return runOneCall(agent, call, signal, emit, failures)
    },
  }
}

async function endTurn(
  agent: Agent,
  recorder: TurnRecorder,
  { stopReason }: PromptResponse,
  used: Used,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly stop?: Stop }> {
  const end: ReplyEnd | 'interrupted' = signal.aborted ? 'interrupted' : (ENDS[stopReason] ?? 'finished')
  const text = await recorder.end(end, used)
  switch (stopReason) {
    case 'max_tokens':
    case 'max_turn_requests':
      return { text, stop: { kind: 'limit', limit: 'output', text, why: `its program stopped it (${stopReason})` } }
    case 'refusal':
      return {
        text,
        stop: {
          kind: 'error',
          error: new VendorAgentFailed(`${agent.model.name} refused to go on. Ask in another way.`),
          text,
        },
      }
    default:
      return { text }
  }
}

const ENDS: Partial<Record<PromptResponse['stopReason'], ReplyEnd>> = { max_tokens: 'length', refusal: 'refused' }

/** What the program reports of a prompt. Tokens that it does not report count as none, a price that it does not as unknown. */
function usedBy(response: PromptResponse | undefined, session: LiveSession): Used {
  const reported = (response as { usage?: Record<string, unknown> | null } | undefined)?.usage ?? {}
  const tokens = (name: string) => {
    const value = reported[name]
    return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0
  }
  const usage: Usage = {
    input: tokens('inputTokens'),
    cacheRead: tokens('cachedReadTokens'),
    cacheWrite: tokens('cachedWriteTokens'),
    output: tokens('outputTokens'),
  }
  return { usage, cost: uncountedCost(session) }
}

/** What the account of the program says that was not counted yet; null where it says nothing. */
function uncountedCost(session: LiveSession): number | null {
  const { reportedCost, countedCost } = session
  if (reportedCost === undefined) return null
  session.countedCost = reportedCost
  // A program whose account is lower than before began a new one when it was started again.
  return reportedCost >= countedCost ? reportedCost - countedCost : reportedCost
}
