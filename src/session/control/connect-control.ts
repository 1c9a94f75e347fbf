import { type IncomingMessage, request } from 'node:http'
import { CONTROL_PROTOCOL, type ControlEntry } from '../../stores/files/identity/control-entry.ts'
import { TeamError } from '../../team/errors.ts'
import type { TimedLine } from '../wire/live-line.ts'
import {
  CONTROL_HOST,
  type ControlOperation,
  LINES_PATH,
  operationPath,
  SESSION_PATH,
  StreamEnd,
} from './control-requests.ts'
import type { SessionControl } from './session-control.ts'

/** The session does not answer: its process has ended, or is ending. */
export class SessionGone extends TeamError {
  readonly code = 'session_gone'
  constructor(session: string, cause?: unknown) {
    super(`${session} does not answer: it has ended. Resume it: deskmates -r ${session}`, { cause })
  }
}

/** The session answered that it could not do what was asked. */
export class ControlFailed extends TeamError {
  readonly code = 'control_failed'
}

export interface ConnectedControl extends SessionControl {
  /** The session was started with `--control full`. */
  readonly hasFullAccess: boolean
}

/** The control of a session in another process of this machine. Disposing it leaves the session as it is. */
export async function connectControl(
  entry: Pick<ControlEntry, 'socket' | 'token' | 'session'>,
): Promise<ConnectedControl> {
  const { session } = entry
  const streams = new Set<() => void>()
  const { protocol, access } = (await ask(entry, 'GET', SESSION_PATH)) as { protocol?: unknown; access?: unknown }
  if (protocol !== CONTROL_PROTOCOL) throw new OtherVersion(session)

  function operation<Name extends ControlOperation>(name: Name): SessionControl[Name] {
    const run = async (...given: readonly unknown[]) => {
      const body = JSON.stringify(given.map((value) => value ?? null))
      return ((await ask(entry, 'POST', operationPath(name), body)) as { value?: unknown }).value
    }
    return run as SessionControl[Name]
  }

  return {
    session,
    hasFullAccess: access === 'full',
    subscribe(onLine, onEnd = () => {}) {
      const stop = readLines(entry, onLine, (why) => {
        streams.delete(stop)
        onEnd(why)
      })
      streams.add(stop)
      return () => {
        streams.delete(stop)
        stop()
      }
    },
    history: operation('history'),
    prompt: operation('prompt'),
    interrupt: operation('interrupt'),
    send: operation('send'),
    answer: operation('answer'),
    answerRequest: operation('answerRequest'),
    rules: operation('rules'),
    setMode: operation('setMode'),
    setModel: operation('setModel'),
    spawn: operation('spawn'),
    stop: operation('stop'),
    compact: async (focus) => operation('compact')(focus),
    async [Symbol.asyncDispose]() {
      for (const stop of streams) stop()
      streams.clear()
    },
  }
}

export class OtherVersion extends TeamError {
  readonly code = 'other_version'
  constructor(session: string, version?: string) {
    const which = version === undefined ? 'another version' : `version ${version}`
    super(
      `${session} was started by ${which} of deskmates, which this one cannot control. End it there, then: deskmates -r ${session}`,
    )
  }
}

type Reached = Pick<ControlEntry, 'socket' | 'token' | 'session'>

function send({ socket, token }: Reached, method: string, path: string, body?: string) {
  const headers = {
    host: CONTROL_HOST,
    authorization: `Bearer ${token}`,
    ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
  }
  const sent = request({ socketPath: socket, path, method, headers, agent: false })
  sent.end(body)
  return sent
}

function ask(entry: Reached, method: string, path: string, body?: string): Promise<object> {
  return new Promise((resolve, reject) => {
    const gone = (cause: unknown) => reject(new SessionGone(entry.session, cause))
    const sent = send(entry, method, path, body)
    sent.on('error', gone)
    sent.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (piece: string) => {
        text += piece
      })
      response.on('error', gone)
      response.on('end', () => {
        const value = JSON.parse(text || '{}') as { error?: string }
        if (response.statusCode === 200) resolve(value)
        else reject(new ControlFailed(value.error ?? `The session answered ${response.statusCode}.`))
      })
    })
  })
}

/** Returns how to stop reading; `onEnd` is not called then. */
function readLines(entry: Reached, onLine: (timed: TimedLine) => void, onEnd: (why: string) => void): () => void {
  let isOver = false
  const end = (why: string) => {
    if (isOver) return
    isOver = true
    onEnd(why)
  }
  const lost = () => end(new SessionGone(entry.session).message)
  const sent = send(entry, 'GET', LINES_PATH)
  sent.on('error', lost)
  sent.on('response', (response: IncomingMessage) => {
    let rest = ''
    response.setEncoding('utf8')
    response.on('data', (piece: string) => {
      const lines = (rest + piece).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (isOver) return
        const value = JSON.parse(line)
        const last = StreamEnd.safeParse(value)
        if (last.success) end(last.data.end)
        else onLine(value as TimedLine)
      }
    })
    response.on('error', lost)
    response.on('close', lost)
  })
  return () => {
    isOver = true
    sent.destroy()
  }
}
