import type {
  ContentBlock,
  McpServer,
  RequestPermissionOutcome,
  RequestPermissionRequest,
  SessionUpdate,
} from '@agentclientprotocol/sdk'
import type { Agent } from '../../agent/agent.ts'
import type { AlarmClock } from '../../journal/clock.ts'
import type { ServerProcess } from '../../mcp/client/start-server.ts'
import { boundedLine } from '../../mcp/client/untrusted-text.ts'
import { VENDOR_MAY_KNOW, vendorBriefing, vendorRecap } from '../../prompts/vendor-agent.ts'
import { BRIDGE_TOKEN, BRIDGE_URL, bridgeProgram } from './bridge-program.ts'
import { connectVendor, VendorAgentFailed, type VendorConnection } from './connection.ts'
import { answeredParts, promptBlocks, recentWords, userParts } from './prompt-parts.ts'
import { TEAM_SERVER } from './vendor-call.ts'
import type { VendorProgram } from './vendor-program.ts'

/** What happens in the turn that runs. */
export interface TurnHandler {
  onUpdate(update: SessionUpdate): void
  onPermission(request: RequestPermissionRequest): Promise<RequestPermissionOutcome>
}

/** The conversation of one teammate with its program, over all lives of the program in this process. */
export interface VendorConversation {
  /** A turn begins: what the transcript holds now may have been told to an earlier life of the program. */
  begin(agent: Agent): void
  /** Starts the program if it does not run, and opens or loads its session. Ends it where `signal` aborts meanwhile. */
  ready(agent: Agent, signal: AbortSignal): Promise<LiveSession>
  /** Ends the program; resolves when nothing of it runs any more. */
  close(): Promise<void>
}

/** A session in a program that runs. */
export interface LiveSession {
  readonly id: string
  readonly connection: VendorConnection
  /** What it has not been told yet; call `sent` before it is sent. */
  unsent(agent: Agent): Promise<ContentBlock[]>
  sent(agent: Agent): void
  /** Who gets updates and questions; undefined between turns. */
  handler: TurnHandler | undefined
  /** What its session has cost so far, by its own account, in US dollars. */
  reportedCost: number | undefined
  /** How much of that was counted. */
  countedCost: number
}

export interface ConversationOptions {
  readonly program: VendorProgram
  readonly cwd: string
  readonly clock: AlarmClock
  start(agent: Agent): Promise<StartedProgram>
  /** Where its program reaches the board and the mail, and by which token. */
  serveTools(): Promise<{ readonly url: string; readonly token: string }>
}

export interface StartedProgram {
  readonly process: ServerProcess
  /** Values of its credentials. */
  readonly secrets: readonly string[]
  /** How it signs in with a variable that it has, where it has to be told. */
  readonly signsInBy: string | undefined
}

const CANCELLED: RequestPermissionOutcome = { outcome: 'cancelled' }

export function createConversation({
  program,
  cwd,
  clock,
  start,
  serveTools,
}: ConversationOptions): VendorConversation {
  let live: LiveSession | undefined
  /** The program is being put back into the mode in which it asks: once, however often it says that it left it. */
  let isModeSet = false
  /** So much of what was said to the agent may have reached its program. */
  let maybeKnown: number | undefined

  async function open(agent: Agent, signal: AbortSignal): Promise<LiveSession> {
    const { transcript } = agent
    const { process, secrets, signsInBy } = await start(agent)
    let session: LiveSession | undefined
    const connection = connectVendor({
      ...{ title: program.title, process, secrets, clock, signIn: program.install },
      handler: {
        onUpdate(update) {
          if (session && update.sessionUpdate === 'usage_update') noteCost(session, update.cost)
          if (session && update.sessionUpdate === 'current_mode_update') keepAsking(session, update.currentModeId)
          session?.handler?.onUpdate(update)
        },
        onPermission: async (request) => session?.handler?.onPermission(request) ?? CANCELLED,
      },
    })
    const abort = () => connection.fail('its turn was interrupted')
    signal.addEventListener('abort', abort)
    if (signal.aborted) abort()
    try {
      const { agentCapabilities, authMethods } = await connection.initialize()
      if (signsInBy !== undefined && authMethods?.some(({ id }) => id === signsInBy))
        await connection.authenticate(signsInBy)
      const mcpServers = await teamServers(agentCapabilities?.mcpCapabilities?.http ?? false)
      const given = { cwd, mcpServers, ...(program.meta && { _meta: { ...program.meta } }) }
      const known = transcript.state.session
      const loaded =
        known !== undefined && agentCapabilities?.loadSession
          ? await connection.loadSession(known, given).catch((error: unknown) => {
              // Its program may have lost it; a program that ended is another matter.
              if (connection.why !== undefined) throw error
              return undefined
            })
          : undefined
      const opened = loaded ?? (await connection.newSession(given))
      await askingMode(connection, opened)
      if (!loaded) await transcript.keptBy(opened.id)
      const takesImages = agentCapabilities?.promptCapabilities?.image ?? false
      const noteSent = (parts: number) => {
        maybeKnown = parts
      }
      session = liveSession(connection, opened.id, agent, { isFresh: !loaded, takesImages, maybeKnown, noteSent })
      return session
    } catch (error) {
      await connection.close()
      signal.throwIfAborted()
      throw error
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  /** Our MCP server over HTTP, or through a bridge: every agent starts servers that speak on stdin and stdout. */
  async function teamServers(takesHttp: boolean): Promise<McpServer[]> {
    const { url, token } = await serveTools()
    const headers = [{ name: 'Authorization', value: `Bearer ${token}` }]
    if (takesHttp) return [{ type: 'http', name: TEAM_SERVER, url, headers }]
    const { command, args } = bridgeProgram()
    const variables = { [BRIDGE_URL]: url, [BRIDGE_TOKEN]: token }
    const env = Object.entries(variables).map(([name, value]) => ({ name, value }))
    return [{ name: TEAM_SERVER, command, args: [...args], env }]
  }

  /** It starts in the mode in which it asks, whatever its own settings say. */
  async function askingMode(
    connection: VendorConnection,
    { id, modes }: Awaited<ReturnType<VendorConnection['newSession']>>,
  ) {
    const { mode } = program
    if (mode === undefined || modes?.currentModeId === mode) return
    const offered = modes?.availableModes.map((one) => boundedLine(one.id, 60)) ?? []
    if (!offered.includes(mode))
      throw new VendorAgentFailed(
        `${program.title} has no mode ${mode}, in which it would ask before it changes something. Set "mode" of its acp entry to one of: ${offered.slice(0, 20).join(', ') || '(it has none)'}.`,
      )
    await connection.setMode(id, mode)
  }

  /** A program that leaves the mode in which it asks is put back into it. */
  function keepAsking({ connection, id }: LiveSession, mode: string): void {
    if (program.mode === undefined || mode === program.mode || isModeSet) return
    isModeSet = true
    connection
      .setMode(id, program.mode)
      .catch(() => connection.fail('it does not stay in the mode in which it asks'))
      .finally(() => {
        isModeSet = false
      })
  }

  return {
    begin({ transcript }) {
      maybeKnown ??= userParts(transcript.state.turns).length
    },
    async ready(agent, signal) {
      if (live?.connection.why === undefined && live) return live
      // Two lives of the program never use its home at the same time, and none is left when the conversation closes.
      await live?.connection.close()
      live = undefined
      live = await open(agent, signal)
      return live
    },
    async close() {
      await live?.connection.close()
      live = undefined
    },
  }
}

function noteCost(session: LiveSession, cost: { amount?: unknown; currency?: unknown } | null | undefined): void {
  if (cost && Number.isFinite(cost.amount) && Number(cost.amount) >= 0 && cost.currency === 'USD')
    session.reportedCost = Number(cost.amount)
}

interface LiveOptions {
  /** The program does not have the conversation so far. */
  readonly isFresh: boolean
  readonly takesImages: boolean
  /** So many parts may have reached an earlier life of the program. */
  readonly maybeKnown: number | undefined
  noteSent(parts: number): void
}

function liveSession(
  connection: VendorConnection,
  id: string,
  agent: Agent,
  { isFresh, takesImages, maybeKnown = 0, noteSent }: LiveOptions,
): LiveSession {
  const { turns } = agent.transcript.state
  let sentParts = answeredParts(turns)
  let isBriefed = !isFresh
  const hasHistory = turns.some(({ role }) => role === 'assistant')
  return {
    ...{ id, connection, handler: undefined, reportedCost: undefined },
    // A program that loaded the conversation goes on with its account of it.
    countedCost: isFresh ? 0 : agent.transcript.state.sessionCost,
    async unsent({ system, memory, transcript }) {
      const parts = userParts(transcript.state.turns)
      const [again, fresh] = [parts.slice(sentParts, maybeKnown), parts.slice(Math.max(sentParts, maybeKnown))]
      const texts: string[] = []
      if (!isBriefed) texts.push(vendorBriefing(system, TEAM_SERVER))
      if (!isBriefed && hasHistory) texts.push(vendorRecap(await memory.situation(), recentWords(turns)))
      if (again.length > 0) texts.push(VENDOR_MAY_KNOW)
      const intro = texts.map((text): ContentBlock => ({ type: 'text', text }))
      return [...intro, ...promptBlocks([...again, ...fresh], takesImages)]
    },
    sent({ transcript }) {
      sentParts = userParts(transcript.state.turns).length
      noteSent(sentParts)
      isBriefed = true
    },
  }
}
