import type { ModelEvent, Reply, ToolCall, UserTurn } from '../models/model.ts'
import type { Usage } from '../team/members/usage.ts'
import type { ToolResult } from '../tools/tool.ts'
import type { TypedPart } from './transcript/typed-part.ts'

/** What happens in a conversation, in order, for terminals, programs and logs. */
export type AgentEvent =
  /** Mail and notices became the model's next user turn; or, with `interrupted`, the note that the user ended its turn. */
  | {
      readonly type: 'input_received'
      readonly turn: UserTurn
      readonly mail: readonly string[]
      /** Which parts of it a person typed; undefined where that was not recorded. */
      readonly typed?: readonly TypedPart[] | undefined
      readonly interrupted?: true
    }
  | ModelEvent
  /** A whole reply; it is in the transcript. */
  | { readonly type: 'answered'; readonly reply: Reply }
  | { readonly type: 'tool_started'; readonly call: ToolCall }
  | { readonly type: 'progress'; readonly call: string; readonly text: string }
  /** With `denied`, the reason for the user, it did not run: the policy, a person who was asked, or a hook (`byHook`) did not allow it. */
  | {
      readonly type: 'tool_finished'
      readonly call: ToolCall
      readonly result: ToolResult
      readonly denied?: string | undefined
      readonly byHook?: boolean | undefined
    }
  /** The history was summarised; it had and has about so many tokens. All of it stays in the transcript. */
  | {
      readonly type: 'compacted'
      readonly trigger: 'auto' | 'manual'
      readonly before: number
      readonly after: number
      /** Of the call that wrote the summary. */
      readonly usage: Usage
      readonly cost: number | null
      readonly model: string
    }
  /** No summary came; the conversation continues as it is while it fits. */
  | { readonly type: 'compaction_failed'; readonly why: string }

/**
 * How a turn ended. Only `finished` means that the model had nothing more to do.
 *
 * finished   it answered without calling a tool, and nothing new had arrived
 * limit      the run made all model calls it was allowed, its answer was cut off at the longest it may be, or it
 *            repeated failing calls without progress; `why` says more where there is more to say
 * budget     so much money was allowed
 * aborted    it was interrupted; it can be resumed
 * error      it cannot continue; `error` says why and what to do
 */
export type Stop =
  | { readonly kind: 'finished'; readonly text: string }
  | {
      readonly kind: 'limit'
      readonly limit: 'turns' | 'output' | 'failures'
      readonly text: string
      readonly why?: string | undefined
    }
  | { readonly kind: 'budget'; readonly spent: number; readonly text: string }
  | { readonly kind: 'aborted'; readonly text: string }
  | { readonly kind: 'error'; readonly error: Error; readonly text: string }
