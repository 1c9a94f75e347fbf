import { realpathSync } from 'node:fs'
import type { SessionContext } from '../agent/session-context.ts'
import { isVendorType, type VendorAgents } from '../agent/vendor-agents.ts'
import { systemClock } from '../journal/clock.ts'
import { orderedTeam } from '../journal/replay/ordered-team.ts'
import { openTeam, type TeamHandle } from '../journal/team-handle.ts'
import type { McpServers } from '../mcp/client/servers.ts'
import { deadRules } from '../permissions/rules/dead-rules.ts'
import { forbids, isOffered, policyOf } from '../permissions/rules/policy.ts'
import { createSessionPolicy, type SessionPolicy } from '../permissions/rules/session-policy.ts'
import { awaitLease } from '../supervisor/lead/await-lease.ts'
import { giveUpLead, SessionClosed, SessionOpen, SessionRefused, takeLead } from '../supervisor/lead/take-lead.ts'
import { compact, runSession } from '../supervisor/run.ts'
import { openSupervisor, type Supervisor } from '../supervisor/supervisor.ts'
import { TOOL_NAMES } from '../tools/registry.ts'
import { agentTypesOf } from './agent-types.ts'
import { closeInTurn } from './close-in-turn.ts'
import { commandEnv } from './command-env.ts'
import { copyConversation, putConversation } from './fork-session.ts'
import { type Knowledge, knowledgeOf } from './instructions/project-knowledge.ts'
import { expandPrompt, serverPrompts } from './mcp/expand-prompt.ts'
import { openSessionServers, secretsOf, serversOf } from './mcp/session-servers.ts'
import { trustedPhaseRules } from './organisation/phase-rules.ts'
import { createPhasePlaces } from './plan/phase-places.ts'
import { keepSummaries, summaryPaths } from './plan/summary-files.ts'
import { createViewGuard } from './plan/view-guard.ts'
import { openSessionSandbox, type SessionSandbox } from './sandbox.ts'
import type { Session } from './session.ts'
import { createSessionContext } from './session-context.ts'
import { folderOf, whyNotHere } from './session-folder.ts'
import { newSessionId } from './session-id.ts'
import type { SessionOptions } from './session-options.ts'
import { titleOf } from './session-title.ts'
import { openVendorAgents } from './vendor-agents.ts'

/** To other processes this one is a single runtime; inside of it this set keeps a session from opening twice. */
const openSessions = new Set<string>()

/** Opens a team as its lead and recovers the work of a process that died. No other process can run the team meanwhile. */
export async function openSession(options: SessionOptions): Promise<Session> {
  return (await openControllable(options)).session
}

/** The same, with what the control of the session needs. */
export async function openControllable(options: SessionOptions): Promise<ControllableSession> {
  const { workspace, clock = systemClock, env = process.env, warn = () => {} } = options
  const { store } = workspace
  const id = options.team ?? newSessionId(clock)
  const copied = options.forkOf === undefined ? [] : await copyConversation(workspace, options.forkOf, options)
  const key = `${store.presence.self} ${workspace.journalOf(id)}`
  if (openSessions.has(key)) throw new SessionOpen(id)
  openSessions.add(key)

  let sandbox: SessionSandbox | undefined
  let knowledge: Knowledge | undefined
  let context: SessionContext | undefined
  let team: TeamHandle | undefined
  let supervisor: Supervisor | undefined
  let servers: McpServers | undefined
  let vendorAgents: VendorAgents | undefined
  let summaries: AsyncDisposable | undefined
  const closing = new AbortController()
  let closed: Promise<void> | undefined
  try {
    const root = realpathSync(workspace.workspace)
    const folders = (options.folders ?? []).map((folder) => realpathSync(folder))
    const rules = await trustedPhaseRules(workspace)
    const places = createPhasePlaces({ ...rules, root, team: () => team })
    const { handOffFiles } = places
    const policy = createSessionPolicy({ ...policyOf(options.permissions ?? {}, root), handOffFiles })
    const toolNames = [...TOOL_NAMES, ...(options.tools ?? []).map(({ name }) => name)]
    const configured = serversOf(options.mcpServers)
    const keys = configured.map(({ key }) => key)
    for (const message of deadRules(policy.current, toolNames, keys)) warn(message)
    const parts = { id, root, folders, policy, commandEnv: commandEnv(env, options.sandbox?.env) }
    const given = [...(options.agentTypes ?? []), ...(options.vendorTypes ?? [])]
    const agentTypes = agentTypesOf({ workspace, root, folders, env, warn, given })
    const hasVendors = agentTypes.some(isVendorType)
    sandbox = await openSessionSandbox({
      ...options.sandbox,
      ...{ ...parts, workspace, processEnv: env, warn, hooks: options.hooks },
      runsPrograms: options.runsPrograms || configured.length > 0 || hasVendors,
      kept: () => (team ? summaryPaths(team, root, rules.handOffFiles) : []),
    })
    knowledge = knowledgeOf({
      ...{ workspace, root, cwd: realpathSync(options.cwd ?? root), env, warn },
      forbids: (path) => forbids(policy.current, 'read', path),
    })
    const views = createViewGuard({
      ...{ root, workspace, clock, places, team: () => team },
      report: (agent, text) => context?.run.emit({ type: 'problem', agent, text: `${agent}: ${text}` }),
    })
    servers = await openSessionServers({
      ...{ servers: configured, env, keys: options.keyVariables, clock },
      place: {
        ...{ root, folders, env: parts.commandEnv, sandbox: sandbox.sandbox },
        requiresSandbox: sandbox.mode === 'require',
        record: async (group) => supervisor?.lead.transcript.began({ ...group, of: 'mcp' }),
      },
      // Before the first run no reader of events is there.
      note: (text) => (hasReader() ? context?.run.emit({ type: 'note', agent: 'lead', text }) : warn(text)),
    })
    const serverSecrets = secretsOf(configured, env, options.keyVariables)
    if (hasVendors) vendorAgents = await openVendorAgents(options, { ...parts, sandbox, env, clock })
    const opened = { sandbox, knowledge, views, handOffFiles, servers, serverSecrets, agentTypes, vendorAgents }
    context = createSessionContext(options, { ...parts, ...opened })
    const { emit: withoutReader } = context.run
    const hasReader = () => context?.run.emit !== withoutReader

    // A loss that is found before the supervisor is open is reported by the store's own warning.
    const onRewound = (loss: Parameters<Supervisor['reportLoss']>[0]) => supervisor?.reportLoss(loss)
    team = await openTeam(store, id, { clock, eraser: context.eraser, onRewound })
    await team.refresh()
    const elsewhere = options.here ? undefined : whyNotHere(team.state, workspace, id)
    if (elsewhere) throw new SessionRefused(elsewhere)
    const lease = { team, presence: store.presence, clock, signal: options.signal, warn }
    const title = options.title ?? ''
    const by = await takeLead(team, store, {
      description: titleOf(context.eraser?.value(title) ?? title),
      folder: folderOf(workspace),
      isNew: options.isNew || options.forkOf !== undefined,
      awaitLease: () => awaitLease(lease),
    })
    await store.presence.announce(id)
    if (copied.length > 0) await putConversation(store, id, copied)
    knowledge.begin(id)
    summaries = keepSummaries(team, root, warn)
    team = orderedTeam(team, options.model.order, true)
    supervisor = await openSupervisor(context, { team, by })
    // Their process groups are recorded in the conversation of the lead, which is open now.
    servers?.start()
    const { cwd } = options
    const session = sessionOf(id, { team, supervisor, sandbox, servers, policy, cwd, close, closing: closing.signal })
    return { session, context, supervisor, policy, servers }
  } catch (error) {
    await close().catch(() => {})
    throw error
  }

  /** Once: a second caller waits for the first one's end. */
  function close(): Promise<void> {
    closing.abort()
    closed ??= closeAll()
    return closed
  }

  function closeAll(): Promise<void> {
    return closeInTurn([
      // A caller may have stopped reading events without ending the run.
      () => context?.run.end(),
      () => servers?.[Symbol.asyncDispose](),
      () => supervisor?.[Symbol.asyncDispose](),
      () => vendorAgents?.[Symbol.asyncDispose](),
      () => summaries?.[Symbol.asyncDispose](),
      // The next process need not wait until this one has ended, unless an agent may still run here.
      (hasFailed) => (team && !hasFailed ? giveUpLead(team, store, context?.run.endedBy) : undefined),
      () => openSessions.delete(key),
      () => sandbox?.[Symbol.dispose](),
      () => knowledge?.end(id),
      () => team?.close(),
    ])
  }
}

export interface ControllableSession {
  readonly session: Session
  readonly context: SessionContext
  readonly supervisor: Supervisor
  readonly policy: SessionPolicy
  readonly servers: McpServers | undefined
}

interface OpenedSession {
  readonly team: TeamHandle
  readonly supervisor: Supervisor
  readonly sandbox: SessionSandbox
  readonly servers: McpServers | undefined
  readonly policy: SessionPolicy
  readonly cwd: string | undefined
  readonly closing: AbortSignal
  close(): Promise<void>
}

function sessionOf(id: string, opened: OpenedSession): Session {
  const { team, supervisor, sandbox, servers, policy, cwd, close, closing } = opened
  let isRunning = false
  /** One run at a time. */
  function begin(): () => void {
    if (closing.aborted) throw new SessionClosed(id)
    if (isRunning) throw new SessionOpen(id)
    isRunning = true
    return () => {
      isRunning = false
    }
  }
  return {
    id,
    team,
    get model() {
      return supervisor.leadModel.name
    },
    get tools() {
      return supervisor.lead.tools.map(({ name }) => name)
    },
    get mcpServers() {
      return servers?.status() ?? []
    },
    get prompts() {
      return serverPrompts(servers)
    },
    expandPrompt: (prompt) =>
      expandPrompt(prompt, {
        servers,
        isOffered: (tool) => isOffered(tool, policy.current),
        keep: supervisor.lead.memory.keep,
      }),
    toolsReady: async (signal = new AbortController().signal) => servers?.ready(signal),
    sandbox: sandbox.state,
    get left() {
      return supervisor.left
    },
    run: (prompt, signal = new AbortController().signal, typed = '') =>
      runSession(supervisor, { prompt, typed: { text: typed, cwd } }, signal, begin),
    compact: (focus, signal = new AbortController().signal) => compact(supervisor, focus, signal, begin),
    endMembers: () => supervisor.scaling.end(),
    closing,
    close,
    [Symbol.asyncDispose]: close,
  }
}
