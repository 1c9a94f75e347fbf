import type { Limits } from '../agent/agent.ts'
import type { Ask, AskPlan } from '../agent/questions.ts'
import type { SupervisorSettings } from '../agent/session-context.ts'
import type { AlarmClock } from '../journal/clock.ts'
import type { Model } from '../models/model.ts'
import type { HookSettings, HooksFail } from '../permissions/hooks/hook-settings.ts'
import type { PermissionSettings } from '../permissions/rules/permission-settings.ts'
import type { Spelling } from '../tools/own-tool.ts'
import type { Tool } from '../tools/tool.ts'
import type { Workspace } from '../workspace.ts'
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
  /** Whether a failing hook blocks. By default it blocks before a tool runs, and nowhere else. */
  readonly hooksFail?: HooksFail
  /** Tools of the caller, besides the built-in ones. */
  readonly tools?: readonly Tool[]
  /** Of each run. */
  readonly limits?: Limits
  readonly maxOutput?: number
  /** The end of the lead's system prompt. */
  readonly appendSystemPrompt?: string
  /** The user's folder inside of the workspace: instructions nearest to it come first. By default the workspace's folder. */
  readonly cwd?: string
  /** Further folders in which agents may read and write. */
  readonly folders?: readonly string[]
  /** The environment of the commands agents run; keys of models are left out. By default this process's. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Values that transcripts, messages and kept outputs must not contain, besides those of secret variables in `env`. */
  readonly secrets?: readonly string[]
  readonly clock?: AlarmClock
  /** The names of the team tools: `team` or `simple`. */
  readonly spelling?: Spelling
  /** When a teammate counts as lost, when an idle one stops, and who approves plans. */
  readonly supervisor?: Partial<SupervisorSettings>
  /** Receives problems that do not stop the session. */
  readonly warn?: (message: string) => void
}
