import type { AgentEvent, Stop } from '../runtime/converse/agent-event.ts'
import type { Team } from '../runtime/team.ts'
import type { TeamEvent } from '../team/event.ts'
import type { OpenedBoundary } from '../tools/boundary/open-boundary.ts'
import type { RanHook } from '../tools/hooks/hooks.ts'

/** What happens in a session, with the agent it happens to: `lead`, or `lead/explore-1` for what it sent out. */
export type SessionEvent =
  | ((AgentEvent | HookRan) & {
      readonly agent: string
      /** The call by which the agent was sent out; only subagents have one. */
      readonly parent?: string
    })
  /** Something happened in a team: it stands in its journal. `agent` did it. */
  | { readonly type: 'team'; readonly agent: string; readonly team: string; readonly event: TeamEvent }
  /** A line for the log: health, fallback, shutdown. */
  | { readonly type: 'note'; readonly agent: string; readonly text: string }
  /** Something is lost or damaged, although the run goes on: it stands in the errors of the result. */
  | { readonly type: 'problem'; readonly agent: string; readonly text: string }

/** A hook of the user ran. */
export type HookRan = { readonly type: 'hook' } & RanHook

/** One conversation with a lead, which is a team: it outlives the process and goes on where it was. */
export interface Session extends AsyncDisposable {
  /** The team's name; open it again by this. */
  readonly id: string
  readonly team: Team
  readonly model: string
  /** Names of the tools the lead is offered. */
  readonly tools: readonly string[]
  /** Tasks that are not completed, by team; teams without any are left out. */
  readonly left: readonly {
    readonly team: string
    readonly pending: number
    readonly in_progress: number
    readonly failed: number
  }[]
  /** Whether commands are kept in; where they are not, they can alter the team's files. */
  readonly sandbox: OpenedBoundary['state']
  /**
   * Says `prompt` to the lead, or nothing, and lets it work until it has nothing more to do and nothing it started
   * runs any more. One run at a time. Leaving the loop early, or aborting, stops it and leaves all resumable.
   */
  run(prompt?: string, signal?: AbortSignal): AsyncGenerator<SessionEvent, Stop>
  /**
   * Summarises the conversation now, with `focus` as what matters most, so that there is room to go on. All of it stays
   * in the transcript. Resolves to what was done, in words.
   */
  compact(focus?: string, signal?: AbortSignal): AsyncGenerator<SessionEvent, Stop>
  /** Ends what it started and gets up; the session can be opened again, here or anywhere. */
  close(): Promise<void>
}
