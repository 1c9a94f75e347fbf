import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { type Limits, noUsage } from '../agent/agent.ts'
import type { Ask, AskPlan } from '../agent/questions.ts'
import type { SessionContext, SupervisorSettings } from '../agent/session-context.ts'
import { type AlarmClock, systemClock } from '../journal/clock.ts'
import { orderedTeam } from '../journal/ordered-team.ts'
import { openTeam, type TeamHandle } from '../journal/team-handle.ts'
import { type Model, ModelFailure } from '../models/model.ts'
import { createPermissions, narrowForSubagent, type Permissions, policyOf } from '../permissions/agent-permissions.ts'
import { deadRules } from '../permissions/dead-rules.ts'
import { forbids } from '../permissions/policy.ts'
import { createEraser } from '../redaction/eraser.ts'
import { openMemoryStore } from '../stores/memory/store.ts'
import { awaitLease } from '../supervisor/await-lease.ts'
import { createPermissionRequests } from '../supervisor/permission-requests.ts'
import { compact, work } from '../supervisor/run.ts'
import { openSupervisor, type Supervisor } from '../supervisor/supervisor.ts'
import { DEFAULT_SUPERVISOR_SETTINGS } from '../supervisor/supervisor-options.ts'
import { giveUpLead, SessionOpen, SessionRefused, takeLead } from '../supervisor/take-lead.ts'
import type { HookSettings, HooksFail } from '../tools/hooks/hook-settings.ts'
import { createHooks } from '../tools/hooks/hooks.ts'
import { EVERY_NAME } from '../tools/roles.ts'
import type { Spelling } from '../tools/team/spelling.ts'
import type { Tool } from '../tools/tool.ts'
import type { Workspace } from '../workspace.ts'
import { agentTypesOf } from './agent-types.ts'
import { commandEnv } from './command-env.ts'
import { type Knowledge, knowledgeOf } from './knowledge.ts'
import { ownFolders, withoutFolders } from './own-folders.ts'
import { openSandbox, type Sandbox, type SandboxOptions } from './sandbox.ts'
import type { Session } from './session.ts'
import { folderOf, whyNotHere } from './session-folder.ts'
import { newSessionId } from './session-id.ts'
import { titleOf } from './session-title.ts'

export interface SessionOptions {
  readonly workspace: Workspace
  readonly model: Model
  /** Other models agents may be given, by name. Without it there are none. */
  readonly modelFor?: (name: string) => Promise<Model>
  /** Goes on with this team, or makes it; without it a new one is named by its session id. */
  readonly team?: string
  /**
   * Goes on with the team in this folder although it belongs to another one, in a database or a shared DESKMATES_DIR.
   * Without it that is refused: its commands would run in the wrong place.
   */
  readonly here?: boolean
  /** Ends waiting for the lease of another process, while the session is opened. */
  readonly signal?: AbortSignal
  /** What a new session is called in lists, such as its first prompt: one line of it is kept. */
  readonly title?: string
  /** What agents may do. Without it they may only look. */
  readonly permissions?: Permissions
  /** Asks a person for what no rule allows, for lead, teammates and whom they send out. Without it that is denied at once. */
  readonly ask?: Ask
  /** Asks a person about plans, where `crew.plans` is `human`. Without it they are rejected at once. */
  readonly askPlan?: AskPlan
  /** What keeps commands in. By default it does where it works; see `warn` and `Session.sandbox`. */
  readonly sandbox?: SandboxOptions
  /** Programs of the user that are asked before and told after; in the shape of the settings. */
  readonly hooks?: HookSettings
  /** What a hook means that fails. By default closed before a tool runs, and open elsewhere. */
  readonly hooksFail?: HooksFail
  /** Tools of your own, besides ours. */
  readonly tools?: readonly Tool[]
  /** Of each run. */
  readonly limits?: Limits
  readonly maxOutput?: number
  /** Stands at the end of the lead's instructions. */
  readonly appendSystemPrompt?: string
  /** Where in the workspace the user is: instructions nearest to it come first. By default the workspace's folder. */
  readonly cwd?: string
  /** Further folders in which agents may read and write. */
  readonly folders?: readonly string[]
  /** Of the commands agents run; keys of models are left out. By default this process's. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Values that conversations, messages and kept outputs must not hold, besides those of secret variables in `env`. */
  readonly secrets?: readonly string[]
  readonly clock?: AlarmClock
  /** How agents call the tools of the team. */
  readonly spelling?: Spelling
  /** When a teammate counts as lost, when it goes by itself, and who approves plans. */
  readonly crew?: Partial<SupervisorSettings>
  /** What is wrong without being a reason to stop. */
  readonly warn?: (message: string) => void
}

/** Opens a team as its lead: what a dead process left is taken up, and no other process works on it meanwhile. */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { workspace, clock = systemClock, env = process.env, warn = () => {} } = options
  const { store } = workspace
  const root = realpathSync(workspace.workspace)
  const folder = folderOf(workspace)
  const id = options.team ?? newSessionId(clock)
  const place = `${store.presence.self} ${workspace.journalOf(id)}`
  if (taken.has(place)) throw new SessionOpen(id)
  taken.add(place)
  let team: TeamHandle | undefined
  let home: SessionContext
  let sandbox: Sandbox | undefined
  let knowledge: Knowledge | undefined
  let office: Supervisor
  try {
    const folders = (options.folders ?? []).map((folder) => realpathSync(folder))
    const policy = policyOf(options.permissions ?? {}, root)
    for (const message of deadRules(policy, [...EVERY_NAME, ...(options.tools ?? []).map(({ name }) => name)]))
      warn(message)
    const closed = ownFolders(env)
    const ownEnv = commandEnv(env, options.sandbox?.env)
    const given = { workspace, root, folders, commandEnv: ownEnv, processEnv: env, policy, warn }
    const opened = await openSandbox({ ...options.sandbox, ...given, hooks: options.hooks })
    sandbox = opened
    knowledge = knowledgeOf({
      ...{ workspace, root, cwd: realpathSync(options.cwd ?? root), env, warn },
      forbids: (path) => forbids(policy, 'read', path),
    })
    home = {
      store,
      clock,
      model: options.model,
      modelFor: options.modelFor ?? noOther,
      root,
      folders,
      env: ownEnv,
      eraser: createEraser(env, options.secrets),
      boundary: opened.boundary,
      hooks: hooksOf(options, id, { root, folders, env: ownEnv, sandbox: opened }),
      openScratchLog: async () => (await openMemoryStore()).log('subagent/transcripts/agent'),
      outputsOf: (name) => join(workspace.root, '.teams', name, 'outputs'),
      permits(isReadOnly, isSentOut, asker) {
        const own = isSentOut ? narrowForSubagent(policy, isReadOnly) : policy
        return withoutFolders(createPermissions({ policy: own, sandbox: opened }, isSentOut, asker), closed)
      },
      permissionRequests: createPermissionRequests(options.ask, clock),
      askPlan: options.askPlan,
      agentTypes: agentTypesOf({ workspace, root, folders, env, warn }),
      tools: options.tools ?? [],
      leadTools: knowledge.tools,
      instructions: knowledge.instructions,
      spelling: options.spelling ?? 'team',
      limits: options.limits ?? {},
      maxOutput: options.maxOutput,
      appendSystemPrompt: [knowledge.instructions, knowledge.skills, options.appendSystemPrompt]
        .filter(Boolean)
        .join('\n\n'),
      supervisor: { ...DEFAULT_SUPERVISOR_SETTINGS, ...options.crew },
      run: { used: noUsage(), emit: () => {}, end: async () => {} },
    }
    // Before the lead is open, only the store's warning can report it.
    team = await openTeam(store, id, { clock, eraser: home.eraser, onRewound: (loss) => office?.reportLoss(loss) })
    await team.refresh()
    const elsewhere = options.here ? undefined : whyNotHere(team.state, workspace, id)
    if (elsewhere) throw new SessionRefused(elsewhere)
    const waiting = { team, presence: store.presence, clock, signal: options.signal, warn }
    const description = titleOf(home.eraser?.value(options.title ?? '') ?? options.title ?? '')
    const by = await takeLead(team, store, { description, folder, awaitLease: () => awaitLease(waiting) })
    await store.presence.announce(id)
    knowledge.begin(id)
    team = orderedTeam(team, options.model.order, true)
    office = await openSupervisor(home, { team, by })
  } catch (error) {
    // No agent is left to run it: the next process need not wait for this one.
    taken.delete(place)
    sandbox?.[Symbol.dispose]()
    knowledge?.end(id)
    if (team) await giveUpLead(team, store).catch(() => {})
    await team?.close().catch(() => {})
    throw error
  }

  let isRunning = false
  return {
    id,
    team,
    model: options.model.name,
    tools: office.lead.tools.map(({ name }) => name),
    sandbox: sandbox.state,
    get left() {
      return office.left
    },
    run: (prompt, signal = new AbortController().signal) => work(home, office, prompt, signal, begin),
    compact: (focus, signal = new AbortController().signal) => compact(home, office, focus, signal, begin),
    close,
    [Symbol.asyncDispose]: close,
  }

  /** One at a time. */
  function begin(): () => void {
    if (isRunning) throw new SessionOpen(id)
    isRunning = true
    return () => {
      isRunning = false
    }
  }

  async function close(): Promise<void> {
    if (!taken.has(place)) return
    try {
      // The process that ran it may have stopped looking without saying so.
      await home.run.end()
      await office[Symbol.asyncDispose]()
      await giveUpLead(team!, store, home.run.endedBy)
    } finally {
      taken.delete(place)
      sandbox?.[Symbol.dispose]()
      knowledge?.end(id)
      await team?.close()
    }
  }
}

function hooksOf(
  { hooks, hooksFail }: SessionOptions,
  session: string,
  { root, folders, env, sandbox }: Pick<SessionContext, 'root' | 'folders' | 'env'> & { sandbox: Sandbox },
) {
  if (!hooks) return undefined
  return createHooks({
    settings: hooks,
    fail: hooksFail,
    session,
    cwd: root,
    writable: [root, ...folders],
    env: { ...env, DESKMATES_PROJECT_DIR: root, CLAUDE_PROJECT_DIR: root },
    boundary: sandbox.boundary,
    mustEnclose: sandbox.mode === 'require',
  })
}

async function noOther(name: string): Promise<Model> {
  const text = `There is no model ${name} in this session. Leave the model out to use the session's own.`
  throw new ModelFailure({ model: name, fault: 'request' }, text)
}

/** To other processes this one is a single runtime; inside of it this set keeps a session from opening twice. */
const taken = new Set<string>()
