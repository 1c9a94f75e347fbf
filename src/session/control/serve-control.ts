import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { dirname } from 'node:path'
import {
  CONTROL_PROTOCOL,
  entryPath,
  makePrivateFolder,
  removeEntry,
  socketPath,
  writeEntry,
} from '../../stores/files/identity/control-entry.ts'
import { isAnswering, removeLeftControls } from '../../stores/files/identity/left-controls.ts'
import { TeamError } from '../../team/errors.ts'
import type { TimedLine } from '../wire/live-line.ts'
import type { ControlAccess } from './control-access.ts'
import {
  ARGUMENTS,
  CONTROL_HOST,
  type ControlOperation,
  DECISIONS,
  LINES_PATH,
  operationPath,
  SESSION_PATH,
} from './control-requests.ts'
import type { SessionControl } from './session-control.ts'

export interface ServeOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where the journal of the session is, which gives the socket its name. */
  readonly journal: string
  readonly runtime: string
  readonly version: string
  /** Whether other processes may answer questions and change the mode. */
  readonly mayDecide: boolean
  /** As the session was started; by default `watch`. */
  readonly access?: ControlAccess
  /** Bytes of lines that a client has not read; one that falls further behind gets the state anew. By default 8 MB. */
  readonly maxUnread?: number
}

export interface ServedControl extends AsyncDisposable {
  readonly socket: string
}

const MAX_REQUEST_BYTES = 4 * 1024 * 1024
const MAX_UNREAD_BYTES = 8 * 1024 * 1024
const MAX_CONNECTIONS = 128
const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 30_000

/** Serves a session to other processes of this user, on a socket in a folder that only this user can enter. */
export async function serveControl(control: SessionControl, options: ServeOptions): Promise<ServedControl> {
  const socket = socketPath(options.env, options.journal)
  const entryFile = entryPath(options.env, options.journal)
  const token = randomBytes(32).toString('hex')
  const server = createServer(
    { headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS, maxHeaderSize: 8192 },
    (request, response) => {
      respond(control, { ...options, token }, request, response).catch((error) => fail(response, error))
    },
  )
  server.maxConnections = MAX_CONNECTIONS
  makePrivateFolder(dirname(socket))
  await removeLeftControls(options.env)
  await listenOn(server, socket)
  chmodSync(socket, 0o600)
  const { runtime, version } = options
  const entry = { protocol: CONTROL_PROTOCOL, version, session: control.session, runtime, socket, token }
  try {
    writeEntry(entryFile, entry)
  } catch (error) {
    server.close()
    throw error
  }
  return {
    socket,
    async [Symbol.asyncDispose]() {
      removeEntry(entryFile, entry)
      const closed = once(server, 'close')
      server.close()
      server.closeIdleConnections()
      // Clients read their last line, then they are gone; one that does not read is not waited for.
      setImmediate(() => server.closeAllConnections())
      await closed
    },
  }
}

/** A socket file that a dead process left is replaced; one that answers belongs to another session. */
async function listenOn(server: Server, socket: string): Promise<void> {
  try {
    await listening(server, socket)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EINVAL' || Buffer.byteLength(socket) > MAX_SOCKET_PATH_BYTES) throw new SocketPathTooLong(socket)
    if (code !== 'EADDRINUSE' || (await isAnswering(socket))) throw error
    rmSync(socket)
    await listening(server, socket)
  }
}

/** Of Linux; a Mac has 4 fewer, and says so by itself. */
const MAX_SOCKET_PATH_BYTES = 107

class SocketPathTooLong extends TeamError {
  readonly code = 'socket_path_too_long'
  constructor(socket: string) {
    super(`The path ${socket} is too long for a socket. Set XDG_RUNTIME_DIR to a folder with a shorter path.`)
  }
}

function listening(server: Server, socket: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(socket, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

type Serving = ServeOptions & { readonly token: string }

async function respond(
  control: SessionControl,
  serving: Serving,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method, url, headers } = request
  if (headers.host !== CONTROL_HOST || headers.origin !== undefined) return refuse(response, 403, 'a foreign host')
  if (!isToken(headers.authorization, serving.token)) return refuse(response, 401, 'a wrong token')
  if (url === LINES_PATH && method === 'GET')
    return streamLines(control, response, serving.maxUnread ?? MAX_UNREAD_BYTES)
  if (url === SESSION_PATH && method === 'GET')
    return answerWith(response, {
      ...{ session: control.session, protocol: CONTROL_PROTOCOL, access: serving.access ?? 'watch' },
    })
  const operation = OPERATIONS.get(url ?? '')
  if (!operation) return refuse(response, 404, 'an unknown path')
  if (method !== 'POST') return refuse(response, 405, 'a wrong method')
  if (DECISIONS.has(operation) && !serving.mayDecide) return answerWith(response, { value: { refused: WATCH_ONLY } })
  const body = await readBody(request)
  if (body === undefined) return refuse(response, 413, 'a request that is too large')
  const given = ARGUMENTS[operation].safeParse(parsed(body))
  if (!given.success) return refuse(response, 400, 'arguments that are not valid')
  answerWith(response, { value: await call(control, operation, given.data) })
}

const OPERATIONS: ReadonlyMap<string, ControlOperation> = new Map(
  (Object.keys(ARGUMENTS) as ControlOperation[]).map((operation) => [operationPath(operation), operation]),
)

const WATCH_ONLY =
  'Commands of agents run without a sandbox here, and could do this too. Do it in the terminal of the session, or start the session with --control full.'

function call(control: SessionControl, operation: ControlOperation, given: readonly unknown[]): Promise<unknown> {
  const run = control[operation] as (...given: readonly unknown[]) => Promise<unknown>
  // JSON has no undefined.
  return run(...given.map((value) => value ?? undefined))
}

function isToken(header: string | undefined, token: string): boolean {
  return timingSafeEqual(digest(header ?? ''), digest(`Bearer ${token}`))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** A client that does not read is left behind, and begins anew with the state of that moment when it reads again. */
function streamLines(control: SessionControl, response: ServerResponse, maxUnread: number): void {
  let stop = () => {}
  let isBehind = false
  /** By id: the questions that it was sent; it may miss their end. */
  const asked = new Map<string, TimedLine>()
  const send = (timed: TimedLine) => response.write(`${JSON.stringify(timed)}\n`)
  const begin = () => {
    isBehind = false
    for (const [id, { at, line }] of asked) {
      const { session_id, agent } = line
      send({ at, line: { type: 'deskmates/question_closed', session_id, agent, id, outcome: 'void' } })
    }
    asked.clear()
    stop = control.subscribe(
      (timed) => {
        send(timed)
        const { type } = timed.line
        if (timed.line.type === 'deskmates/question') asked.set(timed.line.id, timed)
        if (timed.line.type === 'deskmates/question_closed') asked.delete(timed.line.id)
        // What it begins with is sent whole, however large it is.
        if (type === 'system' || type === 'deskmates/state' || response.writableLength < maxUnread) return
        isBehind = true
        stop()
      },
      (why) => response.end(`${JSON.stringify({ end: why })}\n`),
    )
  }
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  response.flushHeaders()
  response.on('drain', () => isBehind && begin())
  response.on('close', () => stop())
  begin()
}

/** Undefined if it is too large. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length
    if (size > MAX_REQUEST_BYTES) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

function answerWith(response: ServerResponse, value: object): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}

/** The rest of the request is not read. */
function refuse(response: ServerResponse, status: number, problem: string): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' })
  response.end(JSON.stringify({ error: `The control socket refused ${problem}.` }), () => response.req.destroy())
}

function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy()
  response.writeHead(500, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ error: error instanceof Error ? error.message : String(error) }))
}
