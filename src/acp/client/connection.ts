import { Readable, Writable } from 'node:stream'
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
  /** How long it may take to start. */
  readonly startSeconds?: number
}

export interface VendorSession {
  readonly id: string
  readonly modes: NewSessionResponse['modes']
}

/** One life of a vendor's program, spoken to by the Agent Client Protocol. Everything it says is a stranger's. */
export interface VendorConnection {
  initialize(): Promise<InitializeResponse>
  newSession(cwd: string, mcpServers: McpServer[]): Promise<VendorSession>
  /** What the program repeats of the history meanwhile is dropped: the transcript has it. */
  loadSession(id: string, cwd: string, mcpServers: McpServer[]): Promise<VendorSession>
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
const MAX_STDERR_CHARACTERS = 2000
const START_SECONDS = 60
/** Loading a long conversation repeats all of it. */
const LOAD_SECONDS = 120

const AUTH_REQUIRED = -32000

export function connectVendor(options: ConnectionOptions): VendorConnection {
  const { title, process, clock, handler, signIn, startSeconds = START_SECONDS } = options
  let why: string | undefined
  let said = ''
  let session: string | undefined
  let isReplaying = false
  const received = { second: 0, count: 0 }

  process.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-MAX_STDERR_CHARACTERS)
  })
  const app = client({ name: 'deskmates' }).onRequest(methods.client.session.requestPermission, async ({ params }) => {
    if (params.sessionId !== session || isReplaying) return { outcome: { outcome: 'cancelled' } }
    return { outcome: await handler.onPermission(params) }
  })
  const input = Readable.toWeb(process.stdout) as ReadableStream<Uint8Array>
  const output = Writable.toWeb(process.stdin) as WritableStream<Uint8Array>
  const stream = ndJsonStream(output, input, { maxMessageBytes: MAX_MESSAGE_BYTES })
  const connection = app.connect(guardedStream(stream, { onMessage: countMessage, onUpdate }))
  const { agent } = connection
  void process.ended.then((how) => {
    const words = boundedLine(said, 500)
    why ??= words === '' ? how : `${how}: ${words}`
    connection.close()
  })
  void connection.closed.then(() => {
    // A program that closed its output, or sent what cannot be read, is of no use any more.
    if (why === undefined) fail('it closed the connection')
  })

  function fail(reason: string): void {
    why ??= reason
    void process.end(0)
    connection.close()
  }

  function countMessage(): void {
    const second = Math.floor(clock.now())
    if (received.second !== second) Object.assign(received, { second, count: 0 })
    const most = isReplaying ? MAX_REPEATED_PER_SECOND : MAX_MESSAGES_PER_SECOND
    if (++received.count > most) fail(`it sent more than ${most} messages in a second`)
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
      throw explained(error, what)
    } finally {
      takeBack()
    }
  }

  function explained(error: unknown, what: string): Error {
    if (why !== undefined) return new VendorAgentFailed(`${title} ended: ${why}.`)
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
    async newSession(cwd, mcpServers) {
      const opened = await within(
        START_SECONDS,
        'session/new',
        agent.request(methods.agent.session.new, { cwd, mcpServers }),
      )
      session = opened.sessionId
      return { id: opened.sessionId, modes: opened.modes }
    },
    async loadSession(id, cwd, mcpServers) {
      session = id
      isReplaying = true
      try {
        const loaded = await within(
          LOAD_SECONDS,
          'session/load',
          agent.request(methods.agent.session.load, { sessionId: id, cwd, mcpServers }),
        )
        return { id, modes: loaded?.modes }
      } catch (error) {
        session = undefined
        throw error
      } finally {
        isReplaying = false
      }
    },
    async setMode(sessionId, modeId) {
      const set = agent.request(methods.agent.session.setMode, { sessionId, modeId })
      await within(START_SECONDS, 'session/set_mode', set)
    },
    async prompt(sessionId, prompt) {
      try {
        return await agent.request(methods.agent.session.prompt, { sessionId, prompt })
      } catch (error) {
        throw explained(error, 'session/prompt')
      }
    },
    // A program that is gone need not be told.
    cancel: (sessionId) => agent.notify(methods.agent.session.cancel, { sessionId }).catch(() => {}),
    get why() {
      return why
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

function detailsOf(data: unknown): string {
  const { details, message } = (typeof data === 'object' && data !== null ? data : {}) as Record<string, unknown>
  return String(details ?? message ?? '')
}
