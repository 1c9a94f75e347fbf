import type { Limits } from '../agent/agent.ts'
import type { Ask, AskPlan } from '../agent/questions.ts'
import type { ScaledRole, SupervisorSettings } from '../agent/session-context.ts'
import type { RoleGates } from '../agent/task-commits.ts'
import type { AlarmClock } from '../journal/clock.ts'
import type { Model } from '../models/model.ts'
import type { HookSettings, HooksFail } from '../permissions/hooks/hook-settings.ts'
import type { PermissionSettings } from '../permissions/rules/policy.ts'
import type { LoadedSettings } from '../settings/load-settings.ts'
import type { Settings } from '../settings/settings.ts'
import type { MessageRouting } from '../tools/message-routing.ts'
import type { Spelling } from '../tools/own-tool.ts'
import type { RoleRules } from '../tools/role-rules.ts'
import type { AgentType } from '../tools/subagents/agent-type.ts'
import type { Tool } from '../tools/tool.ts'
import type { Workspace } from '../workspace.ts'
import { settingsAgentTypes } from './agent-types.ts'
import type { SessionServers } from './mcp/session-servers.ts'
import type { SandboxOptions } from './sandbox.ts'

export interface SessionOptions {
  readonly workspace: Workspace
  readonly model: Model
  /** Resolves other models by name, for teammates and subagents. Without it every agent uses `model`. */
  readonly modelFor?: (name: string) => Promise<Model>
  /** The team to resume, or to create. Without it a new team is named by its session id. */
  readonly team?: string
  /**
   * Resumes the team in this folder although it belongs to another one, in a database or a shared DESKMATES_DIR.
   * Without it that is refused: its commands would run in the wrong folder.
   */
  readonly here?: boolean
  /** `team` is the id of a new session: one that is there already is refused. */
  readonly isNew?: boolean
  /**
   * The new session begins with a copy of the conversation of this session's lead, and with nothing else of it: no members, no
   * tasks, no mail.
   */
  readonly forkOf?: string | undefined
  /** Stops waiting for the lease of another process while the session is being opened. */
  readonly signal?: AbortSignal
  /** The title of a new session in lists, such as its first prompt: one line of it is kept. */
  readonly title?: string
  /** What agents may do. Without it they may only read. */
  readonly permissions?: PermissionSettings
  /** Asks a person about an action that no rule allows, for every agent. Without it the action is denied at once. */
  readonly ask?: Ask
  /** Asks a person about plans, where `supervisor.plans` is `human`. Without it plans are rejected at once. */
  readonly askPlan?: AskPlan
  /** The sandbox of commands. By default it is on where it works; see `warn` and `Session.sandbox`. */
  readonly sandbox?: SandboxOptions
  /** Programs of the user that run before and after tool calls and other events; in the shape of the settings. */
  readonly hooks?: HookSettings
  /** The front end runs a program of the user beside the agents, so a sandbox is opened even where they have no shell. */
  readonly runsPrograms?: boolean
  /** Whether a failing hook blocks. By default it blocks before a tool runs, and nowhere else. */
  readonly hooksFail?: HooksFail
  /** Who may write to whom in the team; without it every member may write to every other one. */
  readonly routing?: MessageRouting
  /** What agents of each role use, and which roles join the team when; without it every role may join. */
  readonly roles?: RoleRules
  /** Types of agents for this session: they come before those of the project and the user that have the same name. */
  readonly agentTypes?: readonly AgentType[] | undefined
  /** Agent types of the settings, which programs of other vendors run. One that is marked as the project's needs approval. */
  readonly vendorTypes?: readonly AgentType[] | undefined
  /** Tools of the caller, besides the built-in ones. */
  readonly tools?: readonly Tool[]
  /**
   * MCP servers by name, in the shape of the settings. They are started with the session, inside of the sandbox, and their
   * tools are called `mcp__server__tool`. The caller answers for them: none is asked about.
   */
  readonly mcpServers?: SessionServers
  /** Of each run; with `limitsAllRuns` of all runs together. */
  readonly limits?: Limits
  readonly limitsAllRuns?: boolean
  /**
   * What is wrong with the last text of the lead when a run is about to end, as the lead reads it: it then answers again, three times at
   * most. Undefined: nothing.
   */
  readonly checkAnswer?: ((text: string) => string | undefined) | undefined
  readonly maxOutput?: number
  /** The end of the lead's system prompt. */
  readonly appendSystemPrompt?: string
  /** The user's folder inside of the workspace: instructions nearest to it come first. By default the workspace's folder. */
  readonly cwd?: string
  /** Further folders in which agents may read and write. */
  readonly folders?: readonly string[]
  /** The environment of the commands agents run; keys of models are left out. By default this process's. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Names of variables that hold keys of models: no file of a project may pass them to an MCP server. */
  readonly keyVariables?: readonly string[]
  /** Values that transcripts, messages and kept outputs must not contain, besides those of secret variables in `env`. */
  readonly secrets?: readonly string[]
  readonly clock?: AlarmClock
  /** The names of the team tools: `team` or `simple`. */
  readonly spelling?: Spelling
  /** When a teammate counts as lost, when an idle one stops, who approves plans, and when the lead takes a turn. */
  readonly supervisor?: Partial<SupervisorSettings>
  /** Roles whose agents code starts, as many as there are ready tasks. `run` then needs no prompt. */
  readonly scaling?: readonly ScaledRole[]
  /** Members of these roles stay between runs, until `endMembers` is called; without it they stop at the end of a run. */
  readonly keepsMembers?: boolean | undefined
  /** The runtime commits the reserved files of a task when it is completed. By default it does not. */
  readonly autoCommit?: boolean
  /** What members of a role have to have done before they idle or complete a task. By default nothing. */
  readonly gatesOf?: (role: string) => RoleGates
  /** Receives problems that do not stop the session. */
  readonly warn?: (message: string) => void
}

/** What the settings files decide about a session, as options of `openSession`. */
export function settingsOptions(
  settings: Settings,
  env: NodeJS.ProcessEnv,
  origins: LoadedSettings['origins'] = [],
): Partial<SessionOptions> {
  return {
    vendorTypes: settingsAgentTypes({ origins }),
    permissions: settings.permissions,
    sandbox: settings.sandbox,
    hooks: settings.hooks,
    hooksFail: settings.hooksFail,
    spelling: settings.tools?.spelling,
    supervisor: supervisorSettings(settings),
    autoCommit: settings.team?.autoCommit ?? false,
    maxOutput: settings.maxOutputTokens,
    env: withoutKeys(env, settings),
    secrets: keysIn(env, settings),
    keyVariables: keyVariablesOf(settings),
  }
}

/** The settings count minutes, the supervisor seconds. */
function supervisorSettings({ team = {} }: Settings): Partial<SupervisorSettings> {
  const { stallMinutes, idleTimeoutMinutes, plans, leadWakesAfterIdle, leadHears, confirmFirstSpawn } = team
  return {
    ...(stallMinutes !== undefined && { stall: stallMinutes * 60 }),
    ...(idleTimeoutMinutes !== undefined && { idle: idleTimeoutMinutes * 60 }),
    ...(plans && { plans }),
    ...(leadWakesAfterIdle !== undefined && { leadWakesAfterIdle }),
    ...(leadHears && { resultDelivery: leadHears }),
    ...(confirmFirstSpawn !== undefined && { confirmFirstSpawn }),
  }
}

/** The settings may name any variable as the holder of a key (`keyFrom`). Commands of agents do not get it. */
function withoutKeys(env: NodeJS.ProcessEnv, { providers = {} }: Settings): NodeJS.ProcessEnv {
  const keys = new Set(Object.values(providers).map(({ keyFrom }) => keyFrom))
  return Object.fromEntries(Object.entries(env).filter(([name]) => !keys.has(name)))
}

/** The values of those keys, which no transcript and no message may contain. */
function keysIn(env: NodeJS.ProcessEnv, settings: Settings): string[] {
  return keyVariablesOf(settings).flatMap((name) => env[name] || [])
}

export function keyVariablesOf({ providers = {} }: Settings): string[] {
  return Object.values(providers).flatMap(({ keyFrom }) => keyFrom || [])
}
