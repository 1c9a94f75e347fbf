import type { Mode } from '../permissions/rules/policy.ts'
import type { QuestionLine } from '../session/wire/live-line.ts'
import type { Message } from '../team/message.ts'
import type { TeamState } from '../team/state.ts'

/**
 * What a screen shows of a session, folded from its lines by `applyLine`. It asks no clock and reads nothing else, so the same
 * lines always give the same view. It is changed in place: `version` counts the changes.
 */
export interface View {
  version: number
  session: { readonly id: string; readonly model: string; readonly cwd: string; readonly sandbox: string } | undefined
  /** Prompts of MCP servers, which are typed as commands. */
  prompts: readonly { readonly name: string; readonly about: string }[]
  mode: Mode
  run: { readonly isWorking: boolean; readonly since: number; readonly error: string | null }
  /** By name; the session's own team first. */
  readonly teams: Map<string, TeamState>
  /** Teams whose process is gone, without having closed them. */
  readonly interrupted: Set<string>
  /** By team: since when its agents are listened to. */
  readonly watchedSince: Map<string, number>
  /** By name, in the order in which they were first seen. */
  readonly agents: Map<string, AgentActivity>
  /** By id, the oldest first. */
  readonly questions: Map<string, OpenQuestion>
  /** The newest last; older ones are in the journal. */
  readonly mail: ShownMessage[]
  /** Lines for the log, and what went wrong. */
  readonly notes: { readonly at: number; readonly agent: string; readonly text: string }[]
}

/** What an agent does, besides what its team's journal says of it. */
export interface AgentActivity {
  readonly name: string
  /** The call that started it; only subagents have one. */
  readonly parent: string | null
  /** When anything was last heard of it. */
  activeAt: number
  /** What it does or did last, such as `edit_file src/a.ts`; empty before its first call. */
  lastAction: string
  /** The provider lets it wait, until then. */
  waiting: { readonly until: number; readonly why: string } | undefined
  /** The newest last; the transcript has all of it. */
  readonly conversation: Entry[]
}

/** One part of a conversation, as it is drawn. */
export type Entry =
  | {
      readonly kind: 'input'
      readonly at: number
      readonly text: string
      /** What a person typed of it; null for mail of agents and notices of the runtime, undefined where that is unknown. */
      readonly typed?: string | null | undefined
    }
  | { readonly kind: 'text' | 'thinking'; readonly at: number; text: string; isStreaming: boolean }
  | ToolEntry
  | { readonly kind: 'note'; readonly at: number; readonly text: string }
  /** A file that the user attached to a prompt. */
  | {
      readonly kind: 'attachment'
      readonly at: number
      readonly file: string
      /** How much of it was attached: `12 lines`. */
      readonly text: string
    }

export interface ToolEntry {
  readonly kind: 'tool'
  readonly at: number
  readonly id: string
  readonly name: string
  readonly input: unknown
  state: 'called' | 'running' | 'done' | 'failed'
  /** The newest line of its output while it runs. */
  progress: string
  result: string
  endedAt: number | undefined
}

export interface OpenQuestion {
  readonly id: string
  readonly at: number
  readonly agent: string
  readonly team: string
  readonly about: QuestionLine['about']
}

export interface ShownMessage {
  readonly at: number
  readonly team: string
  readonly message: Message
  /** Members that have read it. */
  readonly readBy: string[]
}

/** Agents that work long have long conversations; a screen shows the end. */
export const MAX_ENTRIES = 2000
export const MAX_MAIL = 1000
export const MAX_NOTES = 500
/** Longer texts are cut where they are drawn; the transcript has all of it. */
export const MAX_ENTRY_CHARS = 200_000

export function emptyView(): View {
  return {
    version: 0,
    session: undefined,
    prompts: [],
    mode: 'default',
    run: { isWorking: false, since: 0, error: null },
    teams: new Map(),
    interrupted: new Set(),
    watchedSince: new Map(),
    agents: new Map(),
    questions: new Map(),
    mail: [],
    notes: [],
  }
}
