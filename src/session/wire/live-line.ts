import type { Action } from '../../permissions/permission.ts'
import type { Mode } from '../../permissions/rules/policy.ts'
import type { Json } from '../../team/data/json.ts'
import type { Author, TeamEvent } from '../../team/event.ts'
import type { Line } from './envelope.ts'

/** On every line: which session, and which of its agents. */
interface Base {
  readonly session_id: string
  readonly agent: string
}

/** Lines for front ends that draw while agents work. `stream-json` does not print them. */
export type LiveLine =
  /** A team as it is when a reader begins to read. `seq` is the last record in it. */
  | (Base & { readonly type: 'deskmates/state'; readonly team: string; readonly seq: number; readonly state: Json })
  /** A record of a team's journal, whole: also what `deskmates/team` leaves out. */
  | (Base & {
      readonly type: 'deskmates/record'
      readonly team: string
      readonly seq: number
      readonly id: string
      readonly at: number
      readonly by: Author
      readonly events: readonly TeamEvent[]
    })
  /** A part of an answer while it streams; the `assistant` line that follows holds all of it. */
  | (Base & {
      readonly type: 'deskmates/delta'
      readonly parent_tool_use_id: string | null
      readonly kind: 'text' | 'thinking'
      readonly text: string
    })
  /** A tool runs. It ended when a `user` line holds its `tool_result`. */
  | (Base & {
      readonly type: 'deskmates/tool_started'
      readonly parent_tool_use_id: string | null
      readonly tool_use_id: string
      readonly name: string
      readonly input: unknown
    })
  | (Base & QuestionLine)
  /** It was answered, here or elsewhere, or is not needed any more. */
  | (Base & {
      readonly type: 'deskmates/question_closed'
      readonly id: string
      readonly outcome: 'allowed' | 'denied' | 'void'
    })
  | (Base & { readonly type: 'deskmates/mode'; readonly mode: Mode })
  /** A run began, or all agents are finished; then `error` says what went wrong, if anything did. */
  | (Base & {
      readonly type: 'deskmates/run'
      readonly state: 'working' | 'settled'
      readonly error: string | null
    })

/** A person has to decide. Only the session that asked can take the answer. */
export interface QuestionLine {
  readonly type: 'deskmates/question'
  readonly id: string
  readonly team: string
  readonly about:
    | {
        readonly kind: 'permission'
        readonly tool: string
        /** The call that waits for the answer; sessions of an older program do not say it. */
        readonly tool_use_id?: string
        readonly input: unknown
        readonly action: Action
        /** Why a person is asked. */
        readonly why: string
        /** Rules that would allow it, as the settings write them; empty where no rule can. */
        readonly rules: readonly string[]
      }
    | { readonly kind: 'plan'; readonly plan: string }
}

/** A line with the time it was written, in seconds: what a view is folded from. */
export interface TimedLine {
  readonly at: number
  readonly line: Exclude<Line, { type: 'deskmates/team' | 'stream_event' }> | LiveLine
}
