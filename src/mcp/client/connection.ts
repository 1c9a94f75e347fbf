import {
  type CallToolResult,
  Client,
  type GetPromptResult,
  type jsonSchemaValidator,
  ProtocolError,
  type ReadResourceResult,
  SdkError,
  SdkErrorCode,
  type Tool,
} from '@modelcontextprotocol/client'
import type { AlarmClock } from '../../journal/clock.ts'
import { shellWord } from '../../team/wording.ts'
import { type JsonSchema, valueFault } from '../../tools/json-schema/json-schema.ts'
import { createCallSlots } from './call-slots.ts'
import { fetchOffers, type ServerOffers } from './offers.ts'
import { ServerFailed, ServerRefused } from './server-faults.ts'
import type { ServerTransport } from './transport/server-transport.ts'
import { boundedLine } from './untrusted-text.ts'

/** One connection to one server. It is opened when it is needed, and again after it ended, never faster than the back-off. */
export interface Connection {
  /** What the server offers, as it says itself: untrusted. Opens the connection. */
  offers(signal?: AbortSignal): Promise<ServerOffers>
  call(tool: Tool, input: object, options: CallOptions): Promise<CallToolResult>
  readResource(uri: string, signal: AbortSignal): Promise<ReadResourceResult>
  prompt(name: string, args: Record<string, string>, signal: AbortSignal): Promise<GetPromptResult>
  /** Ends the server; resolves when nothing of it runs any more. */
  close(): Promise<void>
}

export interface CallOptions {
  readonly signal: AbortSignal
  progress(text: string): void
}

export interface ConnectionOptions {
  readonly name: string
  /** A transport for one life of the server; connecting starts it. */
  open(): ServerTransport
  /** What a person can do where it does not start. */
  readonly startHint?: string | undefined
  readonly connectMs: number
  readonly callMs: number
  readonly clock: AlarmClock
  /** The server changed what it offers. */
  onChange(offers: ServerOffers): void
  /** It does something that cannot be used; it may do so again and again. */
  onRefused(text: string): void
  /** It ended, and what follows; for a log. */
  onEnd(text: string): void
}

/** How servers know us; nothing depends on the version. */
const CLIENT = { name: 'deskmates', version: '1' }

/** Seconds before a server that failed so often in a row is started again. */
const BACK_OFF_S = [1, 2, 5, 15, 60]
/** So many failures in a row, and it is not started again in this session. */
const MAX_FAILURES = BACK_OFF_S.length
/** A server that let a call time out has to answer a ping within this time, or it is ended. */
const PING_MS = 5000
/** However much progress it reports, a call ends after so many times its time-out. */
const MAX_TIMEOUTS = 10

interface Live {
  readonly client: Client
  readonly transport: ServerTransport
  readonly offers: ServerOffers
}

export function createConnection(options: ConnectionOptions): Connection {
  const { name, clock, connectMs, callMs } = options
  const slots = createCallSlots()
  const closing = new AbortController()
  let current: Promise<Live> | undefined
  let failures = 0
  let lastFailure = ''
  let announcedBy: Client | undefined
  let isRefreshing = false

  /** One start for all callers that wait for it. */
  function live(signal: AbortSignal = closing.signal): Promise<Live> {
    if (closing.signal.aborted) throw new ServerFailed(`The MCP server ${name} has ended with its session.`)
    if (!current) {
      if (failures >= MAX_FAILURES) throw new ServerFailed(givenUp())
      const starting = startAfterBackOff()
      current = starting
      starting.catch((error: unknown) => failed(starting, error))
    }
    return orAbort(current, signal)
  }

  async function startAfterBackOff(): Promise<Live> {
    const seconds = failures === 0 ? 0 : BACK_OFF_S[failures - 1]!
    if (seconds > 0) await pause(seconds)
    closing.signal.throwIfAborted()
    const transport = options.open()
    const { late, listing } = listingTime()
    const client = new Client(CLIENT, {
      capabilities: {},
      jsonSchemaValidator: boundedValidator,
      listChanged: {
        tools: { autoRefresh: false, onChanged: () => void refresh(client) },
        prompts: { autoRefresh: false, onChanged: () => void refresh(client) },
      },
    })
    try {
      await client.connect(transport, listing)
      const opened: Live = { client, transport, offers: await fetchOffers(client, listing) }
      client.onclose = () => ended(opened)
      return opened
    } catch (error) {
      await client.close().catch(() => {})
      await transport.close().catch(() => {})
      throw explained(late.aborted ? late.reason : error, transport, NOT_STARTED)
    }
  }

  /** All lists of a server together: one that sends page after page would else never have started. */
  function listingTime() {
    const late = AbortSignal.timeout(connectMs)
    return { late, listing: { timeout: connectMs, signal: AbortSignal.any([closing.signal, late]) } }
  }

  /** One at a time, however often the server announces changes; then once more for what it announced meanwhile. */
  async function refresh(client: Client): Promise<void> {
    announcedBy = client
    if (isRefreshing) return
    isRefreshing = true
    for (let by: Client | undefined = client; by; by = announcedBy) {
      announcedBy = undefined
      await refreshOnce(by)
    }
    isRefreshing = false
  }

  async function refreshOnce(client: Client): Promise<void> {
    const opened = await current?.catch(() => undefined)
    if (opened?.client !== client) return
    const { late, listing } = listingTime()
    try {
      const offers = await fetchOffers(client, listing)
      Object.assign(opened, { offers })
      options.onChange(offers)
    } catch (error) {
      if (closing.signal.aborted) return
      const why = late.aborted
        ? `it took longer than ${connectMs} ms`
        : boundedLine(error instanceof Error ? error.message : String(error), 300)
      options.onRefused(`The MCP server ${name} announced other tools, and did not list them: ${why}`)
    }
  }

  function failed(starting: Promise<Live>, error: unknown): void {
    if (current !== starting) return
    current = undefined
    // What is wrong with the entry itself is not better the next time.
    failures = error instanceof ServerRefused ? MAX_FAILURES : failures + 1
    lastFailure = error instanceof Error ? error.message : String(error)
  }

  function ended(opened: Live): void {
    if (closing.signal.aborted) return
    const why = opened.transport.why ?? 'the connection was closed'
    current = undefined
    failures++
    lastFailure = `The MCP server ${name} ended: ${why}.`
    const next =
      failures >= MAX_FAILURES ? 'It is not started again in this session.' : 'It is started again when it is needed.'
    options.onEnd(`${lastFailure} ${next}`)
  }

  function givenUp(): string {
    return `${lastFailure} It failed ${failures} times in a row and is not started again in this session. See: deskmates mcp get ${shellWord(name)}`
  }

  /** Runs one request on the server; only an answer shows that the server works. */
  async function request<T>(what: string, signal: AbortSignal, send: (opened: Live) => Promise<T>): Promise<T> {
    using _ = await slots.take(signal)
    const opened = await live(signal)
    try {
      const answer = await send(opened)
      failures = 0
      return answer
    } catch (error) {
      signal.throwIfAborted()
      if (isTimeout(error)) void endIfSilent(opened)
      throw explained(error, opened.transport, what)
    }
  }

  /** A server that hangs is ended, so that the next call meets a new one. */
  async function endIfSilent(opened: Live): Promise<void> {
    try {
      await opened.client.ping({ timeout: Math.min(PING_MS, callMs) })
    } catch {
      opened.transport.fail(`it did not answer for ${callMs + Math.min(PING_MS, callMs)} ms`)
    }
  }

  function explained(error: unknown, transport: ServerTransport, what: string): Error {
    if (error instanceof ServerFailed || error instanceof ServerRefused) return error
    const start = `The MCP server ${name} ${what}`
    const isStart = what === NOT_STARTED
    const hint = isStart && options.startHint ? ` ${options.startHint}` : ''
    if (isTimeout(error))
      return new ServerFailed(
        `${start}: it did not answer in time (${isStart ? connectMs : callMs} ms).${hint} ${LONGER}`,
      )
    const why = transport.why
    if (why !== undefined) return new ServerFailed(`${start}: ${why}.${hint}`)
    const text = boundedLine(reasonOf(error), 1000)
    return new ServerFailed(`${start}: ${text || 'it gave no reason'}${/[.!?…]$/.test(text) ? '' : '.'}${hint}`, {
      cause: error instanceof ProtocolError ? undefined : error,
    })
  }

  async function pause(seconds: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const takeBack = clock.in(seconds, resolve)
      closing.signal.addEventListener('abort', () => {
        takeBack()
        resolve()
      })
    })
  }

  return {
    offers: async (signal) => (await live(signal)).offers,
    call: (tool, input, { signal, progress }) =>
      request(`failed at ${boundedLine(tool.name, 100)}`, signal, ({ client }) =>
        client.callTool(
          { name: tool.name, arguments: { ...input } },
          {
            signal,
            toolDefinition: tool,
            timeout: callMs,
            resetTimeoutOnProgress: true,
            maxTotalTimeout: callMs * MAX_TIMEOUTS,
            onprogress: ({ message, progress: done, total }) =>
              progress(boundedLine(message, 200) || `${done}${total === undefined ? '' : ` of ${total}`}`),
          },
        ),
      ),
    readResource: (uri, signal) =>
      request(`could not read ${boundedLine(uri, 200)}`, signal, ({ client }) =>
        client.readResource({ uri }, { signal, timeout: callMs }),
      ),
    prompt: (prompt, args, signal) =>
      request(`could not give the prompt ${boundedLine(prompt, 100)}`, signal, ({ client }) =>
        client.getPrompt({ name: prompt, arguments: args }, { signal, timeout: callMs }),
      ),
    async close() {
      closing.abort(new ServerFailed(`The MCP server ${name} has ended with its session.`))
      const opened = await current?.catch(() => undefined)
      await opened?.client.close().catch(() => {})
      await opened?.transport.close().catch(() => {})
    },
  }
}

const LONGER = 'Give it longer with "timeout" (calls) or "startupTimeout" in its entry, in milliseconds.'

/** Checks structured results by our own steps: the schema of a stranger must not keep this process busy. */
const boundedValidator: jsonSchemaValidator = {
  getValidator: (schema) => (input) => {
    const errorMessage = valueFault(schema as JsonSchema, input)
    return errorMessage === undefined
      ? { valid: true, data: input as never, errorMessage: undefined }
      : { valid: false, data: undefined, errorMessage }
  },
}

const NOT_STARTED = 'could not be started'

/** `fetch failed` says nothing: the reason is in its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause, message } = error
  const inner = cause instanceof AggregateError ? cause.errors[0] : cause
  return inner instanceof Error && inner.message !== '' && !message.includes(inner.message)
    ? `${message} (${inner.message})`
    : message
}

function isTimeout(error: unknown): boolean {
  return (
    (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) ||
    (error instanceof DOMException && error.name === 'TimeoutError')
  )
}

/** The same promise, which the caller's signal can leave. */
function orAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) return Promise.reject(signal.reason)
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort)
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
