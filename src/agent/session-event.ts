import type { RanHook } from '../permissions/hooks/hooks.ts'
import type { TeamEvent } from '../team/event.ts'
import type { AgentEvent } from './agent-event.ts'

/** What happens in a session, with the agent it happens to: `lead`, or `lead/explore-1` for a subagent. */
export type SessionEvent =
  | ((AgentEvent | HookRan) & {
      readonly agent: string
      /** The call that started the agent; only subagents have one. */
      readonly parent?: string
    })
  /** Something happened in a team: it stands in its journal. `agent` did it. */
  | { readonly type: 'team'; readonly agent: string; readonly team: string; readonly event: TeamEvent }
  /** A line for the log: health, fallback, shutdown. */
  | { readonly type: 'note'; readonly agent: string; readonly text: string }
  /** Something is lost or damaged, although the run continues: it is in the errors of the result. */
  | { readonly type: 'problem'; readonly agent: string; readonly text: string }

/** A hook of the user ran. */
export type HookRan = { readonly type: 'hook' } & RanHook
