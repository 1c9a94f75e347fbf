import {
  type AgentContext,
  agent,
  methods,
  type NewSessionRequest,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
  type SessionInfo,
} from '@agentclientprotocol/sdk'
import type { OpenControl } from '../../session/control/open-control.ts'
import type { EditorServer } from '../../session/mcp/configured-servers.ts'
import { TeamError } from '../../team/errors.ts'
import { type AcpSession, openAcpSession } from './acp-session.ts'
import { editorServers } from './editor-servers.ts'
import { isMode } from './modes.ts'
import { promptContent } from './prompt-content.ts'

/** A session that an editor wants to open: a new one, or an earlier one by its id. */
export interface WantedSession {
  readonly cwd: string
  readonly id: string | undefined
  readonly folders: readonly string[]
  /** MCP servers that it passes in for this session. */
  readonly servers: readonly EditorServer[]
}

export interface AcpOptions {
  readonly input: ReadableStream<Uint8Array>
  readonly output: WritableStream<Uint8Array>
  /** Of this program. */
  readonly version: string
  /** Ends the connection. */
  readonly signal: AbortSignal
  open(wanted: WantedSession): Promise<OpenControl>
  list(cwd: string): Promise<SessionInfo[]>
}

/** Lets an editor work with leads and their teams over the Agent Client Protocol, until the editor closes the connection. */
export async function serveAcp({ input, output, version, signal, open, list }: AcpOptions): Promise<void> {
  const sessions = new Map<string, Promise<AcpSession>>()

  /** The same session is opened once, also where an editor asks for it twice. */
  async function openFor(
    client: AgentContext,
    wanted: WantedSession,
    isKnown: Promise<void>,
  ): Promise<[id: string, session: AcpSession]> {
    const known = wanted.id === undefined ? undefined : sessions.get(wanted.id)
    if (known) return [wanted.id!, await known]
    const opening = asError(open(wanted)).then(async (control) => {
      try {
        return { id: control.session, session: await openAcpSession(control, { client, cwd: wanted.cwd, isKnown }) }
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
        promptCapabilities: { image: true, embeddedContext: true },
        mcpCapabilities: { http: true },
        sessionCapabilities: { list: {}, resume: {}, close: {}, additionalDirectories: {} },
      },
      authMethods: [],
    }))
    .onRequest(methods.agent.session.new, async ({ params, client }) => {
      let onAnswered = () => {}
      const answered = new Promise<void>((resolve) => {
        onAnswered = resolve
      })
      const [sessionId, { modes }] = await openFor(client, { ...placeOf(params), id: undefined }, answered)
      // The answer, by which the editor knows the session, is on its way when this handler has returned.
      setImmediate(onAnswered)
      return { sessionId, modes }
    })
    .onRequest(methods.agent.session.load, async ({ params, client }) => {
      const [, session] = await openFor(client, { ...placeOf(params), id: params.sessionId }, KNOWN)
      await session.sendHistory()
      return { modes: session.modes }
    })
    .onRequest(methods.agent.session.resume, async ({ params, client }) => {
      const [, { modes }] = await openFor(client, { ...placeOf(params), id: params.sessionId }, KNOWN)
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
      (await sessionOf(params.sessionId)).prompt(promptContent(params.prompt)),
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

/** Of a session that the editor names itself. */
const KNOWN = Promise.resolve()

function placeOf({
  cwd,
  additionalDirectories = [],
  mcpServers,
}: Pick<NewSessionRequest, 'cwd' | 'additionalDirectories'> & {
  readonly mcpServers?: NewSessionRequest['mcpServers']
}): Omit<WantedSession, 'id'> {
  return { cwd, folders: additionalDirectories, servers: editorServers(mcpServers) }
}

/** What the user can correct is told to the editor in words; anything else is a failure of the program. */
function asError<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw error instanceof TeamError ? RequestError.invalidParams(undefined, error.message) : error
  })
}
