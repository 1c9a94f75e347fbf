import type { AlarmClock } from '../../journal/clock.ts'
import type { Tool } from '../../tools/tool.ts'
import type { AgentName, ToolSource } from '../../tools/tool-source.ts'
import { type Connection, createConnection } from './connection.ts'
import { type ExpandOptions, expandEntry } from './expand.ts'
import { loginAdvice } from './login-advice.ts'
import type { ServerOffers } from './offers.ts'
import { type ConfiguredServer, isStdio } from './server-entry.ts'
import { serverTools } from './server-tools.ts'
import { startHint } from './start-hint.ts'
import { type ServerPlace, startServer } from './start-server.ts'
import { createHttpTransport } from './transport/http-transport.ts'
import { createStdioTransport } from './transport/stdio-transport.ts'

export interface McpServersOptions {
  readonly servers: readonly ConfiguredServer[]
  readonly clock: AlarmClock
  readonly place: ServerPlace
  readonly variables: Omit<ExpandOptions, 'isProject'>
  /** Takes the secrets that servers were given out of what they say. */
  erase(text: string): string
  /** Something that a person should know: a server that fails, a tool that is refused. */
  note(text: string): void
}

/** The MCP servers of a session: one process each, shared by all agents, unless it is configured otherwise. */
export interface McpServers extends ToolSource, AsyncDisposable {
  /** Starts every server that may be started. Returns at once. */
  start(): void
  status(): readonly ServerStatus[]
  /** Takes the secrets that servers were given out of what they say. */
  erase(text: string): string
  /** The connection of a server by its key, for prompts and resources; undefined if there is none. */
  find(key: string): { readonly connection: Connection; readonly offers: ServerOffers } | undefined
}

export interface ServerStatus {
  readonly name: string
  readonly key: string
  readonly status: 'pending' | 'connected' | 'failed' | 'needs_trust' | 'needs_approval' | 'rejected' | 'refused'
  /** Of a server that is connected. */
  readonly tools?: number
  /** Of one that is not used. */
  readonly why?: string
}

const CONNECT_MS = 30_000
const CALL_MS = 120_000
/** The most notes about tools of one server that cannot be used. */
const MAX_REFUSED_NOTES = 50

/** A server that may be started. */
interface Running {
  readonly server: ConfiguredServer
  /** The shared connection under '', those of single agents under their names. */
  readonly connections: Map<string, Connection>
  offers?: ServerOffers
  why?: string
  /** What a person was told about tools of it that cannot be used. */
  readonly refused: Set<string>
  tools: readonly Tool[]
  ready: Promise<void>
}

export function createMcpServers(options: McpServersOptions): McpServers {
  const { servers, place, clock, erase } = options
  const note = (text: string) => options.note(erase(text))
  const running = new Map<string, Running>()
  let tools: readonly Tool[] = []
  let isClosed = false

  function connect(one: Running, agent: string): Connection {
    const known = one.connections.get(agent)
    if (known) return known
    const { server } = one
    const { name, state } = server
    const entry = expandEntry(name, server.entry, { ...options.variables, isProject: server.isProject })
    const grants = state.kind === 'ready' ? state.grants : { network: false, folders: [], sandbox: true }
    const connection = createConnection({
      ...{ name, clock },
      startHint: isStdio(entry) ? startHint(server, grants) : undefined,
      connectMs: entry.startupTimeout ?? CONNECT_MS,
      callMs: entry.timeout ?? CALL_MS,
      open: () =>
        isStdio(entry)
          ? createStdioTransport(() => startServer(name, entry, grants, place), clock)
          : createHttpTransport({
              ...{ name, url: entry.url, headers: entry.headers ?? {}, clock },
              refusal: (challenge) => loginAdvice(server, challenge),
            }),
      onChange: (offers) => useOffers(one, offers),
      onRefused: (text) => noteRefused(one, text),
      onEnd: note,
    })
    one.connections.set(agent, connection)
    return connection
  }

  function useOffers(one: Running, offers: ServerOffers): void {
    if (isClosed) return
    const { name, key, entry } = one.server
    const used = serverTools({ name, key, erase }, offers, (tool, input, context) =>
      connect(one, entry.perAgent ? agentKey(context) : SHARED).call(tool, input, context),
    )
    one.offers = offers
    one.tools = used.tools
    for (const text of used.refused) noteRefused(one, text)
    tools = [...running.values()].flatMap((other) => other.tools)
  }

  /** Once, and not without end: a server can announce other tools as often as it wants. */
  function noteRefused({ server: { name }, refused }: Running, text: string): void {
    if (refused.has(text) || refused.size >= MAX_REFUSED_NOTES) return
    refused.add(text)
    note(text)
    if (refused.size === MAX_REFUSED_NOTES)
      note(`More of what the MCP server ${name} offers cannot be used, and is not listed here.`)
  }

  async function begin(one: Running): Promise<void> {
    try {
      useOffers(one, await connect(one, one.server.entry.perAgent ? LEAD : SHARED).offers())
    } catch (error) {
      if (isClosed) return
      one.why = error instanceof Error ? error.message : String(error)
      note(one.why)
    }
  }

  return {
    get tools() {
      return tools
    },
    start() {
      for (const server of servers) {
        if (server.state.kind !== 'ready' || running.has(server.key)) continue
        const one: Running = { server, connections: new Map(), refused: new Set(), tools: [], ready: Promise.resolve() }
        running.set(server.key, one)
        one.ready = begin(one)
      }
    },
    async ready(signal) {
      const all = Promise.all([...running.values()].map((one) => one.ready))
      signal.throwIfAborted()
      await new Promise<void>((resolve, reject) => {
        const abort = () => reject(signal.reason)
        signal.addEventListener('abort', abort)
        void all.then(() => resolve()).finally(() => signal.removeEventListener('abort', abort))
      })
    },
    async release(agent) {
      const ended = [...running.values()].flatMap(({ connections }) => {
        const connection = connections.get(agentKey(agent))
        connections.delete(agentKey(agent))
        return connection ?? []
      })
      await Promise.all(ended.map((connection) => connection.close()))
    },
    erase,
    status: () => servers.map((server) => statusOf(server, running.get(server.key))),
    find(key) {
      const one = running.get(key)
      if (!one?.offers) return undefined
      return { connection: connect(one, one.server.entry.perAgent ? LEAD : SHARED), offers: one.offers }
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      tools = []
      const all = [...running.values()].flatMap(({ connections }) => [...connections.values()])
      await Promise.all(all.map((connection) => connection.close()))
    },
  }
}

const SHARED = ''
/** A server with a process for each agent lists its tools in the process of the lead. */
const LEAD = ' lead'

/** The lead has one process, whatever the team in which it acts. */
function agentKey({ team, agent }: AgentName): string {
  return agent === 'lead' ? LEAD : `${team}/${agent}`
}

function statusOf({ name, key, state }: ConfiguredServer, one: Running | undefined): ServerStatus {
  const server = { name, key }
  if (state.kind !== 'ready')
    return { ...server, status: state.kind, ...(state.kind === 'refused' && { why: state.why }) }
  if (one?.offers) return { ...server, status: 'connected', tools: one.tools.length }
  return one?.why === undefined ? { ...server, status: 'pending' } : { ...server, status: 'failed', why: one.why }
}
