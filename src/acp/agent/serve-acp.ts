import {
  type AgentContext,
  agent,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
  type SessionInfo,
} from '@agentclientprotocol/sdk'
import type { SessionControl } from '../../session/control/session-control.ts'
import { TeamError } from '../../team/errors.ts'
import { type AcpSession, openAcpSession } from './acp-session.ts'
import { isMode } from './modes.ts'
import { promptText } from './prompt-text.ts'

/** A session that an editor wants to open: a new one, or an earlier one by its id. */
export interface WantedSession {
  readonly cwd: string
  readonly id: string | undefined
  readonly folders: readonly string[]
}

export interface AcpOptions {
  readonly input: ReadableStream<Uint8Array>
  readonly output: WritableStream<Uint8Array>
  /** Of this program. */
  readonly version: string
  /** Ends the connection. */
  readonly signal: AbortSignal
  open(wanted: WantedSession): Promise<SessionControl>
  list(cwd: string): Promise<SessionInfo[]>
}

/** Lets an editor work with leads and their teams over the Agent Client Protocol, until the editor closes the connection. */
export async function serveAcp({ input, output, version, signal, open, list }: AcpOptions): Promise<void> {
  const sessions = new Map<string, Promise<AcpSession>>()

  /** The same session is opened once, also where an editor asks for it twice. */
  async function openFor(client: AgentContext, wanted: WantedSession): Promise<[id: string, session: AcpSession]> {
    const known = wanted.id === undefined ? undefined : sessions.get(wanted.id)
    if (known) return [wanted.id!, await known]
    const opening = asError(open(wanted)).then(async (control) => {
      try {
        return { id: control.session, session: await openAcpSession(control, client, wanted.cwd) }
      } catch (error) {
        await control[Symbol.asyncDispose]()
        throw error
      }
    })
    const opened = opening.then(({ session }) => session)
    if (wanted.id !== undefined) {
      sessions.set(wanted.id, opened)
      opened.catch(() => sessions.delete(wanted.id!))
    }
    const { id, session } = await opening
    sessions.set(id, opened)
    return [id, session]
  }

  async function sessionOf(id: string): Promise<AcpSession> {
    const session = sessions.get(id)
    if (!session) throw RequestError.invalidParams(undefined, `No session ${id} is open. Load it with session/load.`)
    return session
  }

  async function close(id: string): Promise<void> {
    const session = sessions.get(id)
    sessions.delete(id)
    await (await session)?.[Symbol.asyncDispose]()
  }

  const app = agent({ name: 'deskmates' })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: 'deskmates', title: 'deskmates', version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { embeddedContext: true },
        sessionCapabilities: { list: {}, resume: {}, close: {}, additionalDirectories: {} },
      },
      authMethods: [],
    }))
    .onRequest(methods.agent.session.new, async ({ params, client }) => {
      const [sessionId, { modes }] = await openFor(client, { ...placeOf(params), id: undefined })
      return { sessionId, modes }
    })
    .onRequest(methods.agent.session.load, async ({ params, client }) => {
      const [, session] = await openFor(client, { ...placeOf(params), id: params.sessionId })
      await session.sendHistory()
      return { modes: session.modes }
    })
    .onRequest(methods.agent.session.resume, async ({ params, client }) => {
      const [, { modes }] = await openFor(client, { ...placeOf(params), id: params.sessionId })
      return { modes }
    })
    .onRequest(methods.agent.session.list, async ({ params }) => ({
      sessions: params.cwd ? await asError(list(params.cwd)) : [],
    }))
    .onRequest(methods.agent.session.close, async ({ params }) => {
      await close(params.sessionId)
      return {}
    })
    .onRequest(methods.agent.session.setMode, async ({ params }) => {
      if (!isMode(params.modeId)) throw RequestError.invalidParams(undefined, `There is no mode ${params.modeId}.`)
      await (await sessionOf(params.sessionId)).setMode(params.modeId)
      return {}
    })
    .onRequest(methods.agent.session.prompt, async ({ params }) =>
      (await sessionOf(params.sessionId)).prompt(promptText(params.prompt)),
    )
    .onNotification(methods.agent.session.cancel, async ({ params }) => {
      await (await sessions.get(params.sessionId))?.cancel()
    })

  const connection = app.connect(ndJsonStream(output, input))
  const end = () => connection.close()
  signal.addEventListener('abort', end)
  if (signal.aborted) end()
  try {
    await connection.closed
  } finally {
    signal.removeEventListener('abort', end)
    await Promise.allSettled([...sessions.keys()].map(close))
  }
}

function placeOf(params: { cwd: string; additionalDirectories?: string[] }): Pick<WantedSession, 'cwd' | 'folders'> {
  return { cwd: params.cwd, folders: params.additionalDirectories ?? [] }
}

/** What the user can correct is told to the editor in words; anything else is a failure of the program. */
function asError<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw error instanceof TeamError ? RequestError.invalidParams(undefined, error.message) : error
  })
}
