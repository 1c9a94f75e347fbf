import { Readable, Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import {
  type ContentBlock,
  client,
  type InitializeResponse,
  type McpServer,
  methods,
  type NewSessionResponse,
  ndJsonStream,
  PROTOCOL_VERSION,
  type PromptResponse,
  RequestError,
  type RequestPermissionOutcome,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk'
import type { AlarmClock } from '../../journal/clock.ts'
import type { ServerProcess } from '../../mcp/client/start-server.ts'
import { boundedLine } from '../../mcp/client/untrusted-text.ts'
import { createRedactor } from '../../redaction/redactor.ts'
import { TeamError } from '../../team/errors.ts'
import { guardedStream } from './guarded-stream.ts'

/** The program of another vendor failed: which, at what, and why. */
export class VendorAgentFailed extends TeamError {
  readonly code = 'vendor_agent_failed'
}

/** What a vendor's program wants while it works. */
export interface ConnectionHandler {
  onUpdate(update: SessionUpdate): void
  onPermission(request: RequestPermissionRequest): Promise<RequestPermissionOutcome>
}

export interface ConnectionOptions {
  /** How errors call it. */
  readonly title: string
  readonly process: Pick<ServerProcess, 'stdin' | 'stdout' | 'stderr' | 'ended' | 'end'>
  readonly clock: AlarmClock
  readonly handler: ConnectionHandler
  /** How a person signs in, if that is known. */
  readonly signIn?: string | undefined
  /** What must not stand in errors, whatever it looks like: the values of its own credentials. */
  readonly secrets?: readonly string[] | undefined
  /** How long it may take to start. */
  readonly startSeconds?: number
}

/** What a session is begun or loaded with. */
export interface SessionStart {
  readonly cwd: string
  readonly mcpServers: McpServer[]
  /** For its program, in the words of its vendor. */
  readonly _meta?: Record<string, unknown>
}

export interface VendorSession {
  readonly id: string
  readonly modes: NewSessionResponse['modes']
}

/** One life of a vendor's program, spoken to by the Agent Client Protocol. Everything it says is a stranger's. */
export interface VendorConnection {
  initialize(): Promise<InitializeResponse>
  newSession(options: SessionStart): Promise<VendorSession>
  /** What the program repeats of the history meanwhile is dropped: the transcript has it. */
  loadSession(id: string, options: SessionStart): Promise<VendorSession>
  /** Signs in by one of the ways that its program offers. */
  authenticate(method: string): Promise<void>
  setMode(session: string, mode: string): Promise<void>
  prompt(session: string, prompt: ContentBlock[]): Promise<PromptResponse>
  cancel(session: string): Promise<void>
  /** Why it ended; undefined while it runs. */
  readonly why: string | undefined
  /** Ends the program for this reason. */
  fail(why: string): void
  /** Resolves when nothing of it runs any more. */
  close(): Promise<void>
}

/** The most bytes of one message. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024
/** The most messages within one second: more would keep this process from everything else. */
const MAX_MESSAGES_PER_SECOND = 2000
/** The same while it repeats a conversation. */
const MAX_REPEATED_PER_SECOND = 50_000
/** The most bytes within one second, and while it repeats a conversation. */
const MAX_BYTES_PER_SECOND = 64 * 1024 * 1024
const MAX_REPEATED_BYTES_PER_SECOND = 512 * 1024 * 1024
const MAX_SESSION_ID_CHARACTERS = 1000
const MAX_STDERR_CHARACTERS = 2000
/** So much of the end of that stands in an error. */
const MAX_LAST_WORDS = 500
/** How long the exit code of a program may take after its output was closed, and its last words after that. */
const EXIT_SECONDS = 1
const LAST_WORDS_SECONDS = 1
const START_SECONDS = 60
/** Loading a long conversation repeats all of it. */
const LOAD_SECONDS = 120

const AUTH_REQUIRED = -32000

export function connectVendor(options: ConnectionOptions): VendorConnection {
  const { title, process, clock, handler, signIn, secrets = [], startSeconds = START_SECONDS } = options
  let why: string | undefined
  let said = ''
  let session: string | undefined
  let isReplaying = false
  let isClosed = false
  const received = { second: 0, count: 0, bytes: 0 }

  // Redacted before it is cut: what is left of a secret would not be recognised as one.
  const redacting = createRedactor({}, secrets).stream()
  const keep = (text: string) => {
    said = (said + text).slice(-MAX_STDERR_CHARACTERS)
  }
  process.stderr.setEncoding('utf8').on('data', (text: string) => keep(redacting.write(text)))
  process.stderr.once('end', () => keep(redacting.end()))
  const app = client({ name: 'deskmates' }).onRequest(methods.client.session.requestPermission, async ({ params }) => {
    if (params.sessionId !== session || isReplaying) return { outcome: { outcome: 'cancelled' } }
    return { outcome: await handler.onPermission(params) }
  })
  const input = Readable.toWeb(process.stdout) as ReadableStream<Uint8Array>
  const output = Writable.toWeb(process.stdin) as WritableStream<Uint8Array>
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      countBytes(bytes.byteLength)
      controller.enqueue(bytes)
    },
  })
  const stream = ndJsonStream(output, input.pipeThrough(counted), { maxMessageBytes: MAX_MESSAGE_BYTES })
  const connection = app.connect(guardedStream(stream, { onMessage: countMessage, onUpdate }))
  const { agent } = connection
  const saidAll = new Promise((resolve) => process.stderr.once('close', resolve))
  const ended = process.ended.then(async (how) => {
    await Promise.race([saidAll, seconds(LAST_WORDS_SECONDS)])
    why ??= explainedEnd(how, said)
    connection.close()
  })
  /** Resolves when it is known why the connection closed. */
  const closed = connection.closed.then(async () => {
    isClosed = true
    if (why !== undefined) return
    // The output of a program that ends is closed before its exit code is known.
    await Promise.race([ended, seconds(EXIT_SECONDS)])
    // One that goes on without it, or sent what cannot be read, is of no use any more.
    if (why === undefined) fail(explainedEnd('it closed the connection', said))
  })

  function seconds(count: number): Promise<void> {
    return new Promise((resolve) => void clock.in(count, resolve))
  }

  function fail(reason: string): void {
    why ??= reason
    void process.end(0)
    connection.close()
  }

  function countMessage(): void {
    beginSecond()
    const most = isReplaying ? MAX_REPEATED_PER_SECOND : MAX_MESSAGES_PER_SECOND
    if (++received.count > most) fail(`it sent more than ${most} messages in a second`)
  }

  function countBytes(bytes: number): void {
    beginSecond()
    received.bytes += bytes
    const most = isReplaying ? MAX_REPEATED_BYTES_PER_SECOND : MAX_BYTES_PER_SECOND
    if (received.bytes > most) fail(`it sent more than ${most / 1024 / 1024} MB in a second`)
  }

  function beginSecond(): void {
    const second = Math.floor(clock.now())
    if (received.second !== second) Object.assign(received, { second, count: 0, bytes: 0 })
  }

  function onUpdate(params: unknown): void {
    const read = readUpdate(params)
    if (read && read.sessionId === session && !isReplaying && why === undefined) handler.onUpdate(read.update)
  }

  /** An answer within this time, or the program is ended. */
  async function within<T>(seconds: number, what: string, answer: Promise<T>): Promise<T> {
    let takeBack = () => {}
    const late = new Promise<never>((_, reject) => {
      takeBack = clock.in(seconds, () => {
        fail(`it did not answer ${what} within ${seconds} s`)
        reject(new Error('late'))
      })
    })
    try {
      return await Promise.race([answer, late])
    } catch (error) {
      throw await explained(error, what)
    } finally {
      takeBack()
    }
  }

  async function explained(error: unknown, what: string): Promise<Error> {
    // Requests fail before the connection says that it is closed.
    await setImmediate()
    if (isClosed) await closed
    if (why !== undefined) return new VendorAgentFailed(`${title} ended: ${why.replace(/\.$/, '')}.`)
    if (error instanceof RequestError && error.code === AUTH_REQUIRED)
      return new VendorAgentFailed(
        `${title} is not signed in. ${signIn === undefined ? 'Sign in with its own program' : `Sign in as follows: ${signIn}`}, then try again.`,
      )
    const details = error instanceof RequestError ? boundedLine(detailsOf(error.data), 300) : ''
    const text = boundedLine(error instanceof Error ? error.message : String(error), 500)
    return new VendorAgentFailed(`${title} failed at ${what}: ${text}${details === '' ? '' : ` (${details})`}.`)
  }

  return {
    initialize: () =>
      within(
        startSeconds,
        'initialize',
        agent
          .request(methods.agent.initialize, {
            protocolVersion: PROTOCOL_VERSION,
            clientInfo: { name: 'deskmates', version: '1' },
            // Files and commands of this machine are reached through the sandbox of the program, not through us.
            clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
          })
          .then((answer) => {
            if (answer.protocolVersion !== PROTOCOL_VERSION)
              throw new Error(`it speaks version ${answer.protocolVersion} of the protocol, not ${PROTOCOL_VERSION}`)
            return answer
          }),
      ),
    async newSession(options) {
      const opened = await within(
        START_SECONDS,
        'session/new',
        agent.request(methods.agent.session.new, { ...options }),
      )
      const { sessionId, modes } = opened
      if (typeof sessionId !== 'string' || sessionId.length > MAX_SESSION_ID_CHARACTERS)
        throw new VendorAgentFailed(
          `${title} gave its session a name that is not a text of at most ${MAX_SESSION_ID_CHARACTERS} characters.`,
        )
      session = sessionId
      return { id: sessionId, modes }
    },
    async loadSession(id, options) {
      session = id
      isReplaying = true
      try {
        const loaded = await within(
          LOAD_SECONDS,
          'session/load',
          agent.request(methods.agent.session.load, { sessionId: id, ...options }),
        )
        return { id, modes: loaded?.modes }
      } catch (error) {
        session = undefined
        throw error
      } finally {
        isReplaying = false
      }
    },
    async authenticate(methodId) {
      await within(START_SECONDS, 'authenticate', agent.request(methods.agent.authenticate, { methodId }))
    },
    async setMode(sessionId, modeId) {
      const set = agent.request(methods.agent.session.setMode, { sessionId, modeId })
      await within(START_SECONDS, 'session/set_mode', set)
    },
    async prompt(sessionId, prompt) {
      try {
        return await agent.request(methods.agent.session.prompt, { sessionId, prompt })
      } catch (error) {
        throw await explained(error, 'session/prompt')
      }
    },
    // A program that is gone need not be told.
    cancel: (sessionId) => agent.notify(methods.agent.session.cancel, { sessionId }).catch(() => {}),
    get why() {
      return why ?? (isClosed ? 'it closed the connection' : undefined)
    },
    fail,
    async close() {
      why ??= 'it was closed'
      connection.close()
      await process.end()
    },
  }
}

interface ReadUpdate {
  readonly sessionId: string
  readonly update: SessionUpdate
}

/** What cannot be read as an update is left out. */
function readUpdate(params: unknown): ReadUpdate | undefined {
  const { sessionId, update } = (params ?? {}) as Partial<ReadUpdate>
  return typeof sessionId === 'string' && typeof update?.sessionUpdate === 'string' ? { sessionId, update } : undefined
}

/** How it ended, and what it said last. The beginning of the words is left out rather than their end, which mostly says why. */
function explainedEnd(how: string, said: string): string {
  const words = boundedLine(said, said.length + 1)
  if (words === '') return how
  const shown = words.length > MAX_LAST_WORDS ? `…${words.slice(-MAX_LAST_WORDS)}` : words
  return `${how}. It wrote: ${shown}`
}

function detailsOf(data: unknown): string {
  const { details, message } = (typeof data === 'object' && data !== null ? data : {}) as Record<string, unknown>
  return String(details ?? message ?? '')
}
