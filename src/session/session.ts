import type { Stop } from '../agent/agent-event.ts'
import type { SessionEvent } from '../agent/session-event.ts'
import type { TeamHandle } from '../journal/team-handle.ts'
import type { OpenedSandbox } from '../permissions/sandbox/open-sandbox.ts'
import type { UnfinishedTasks } from '../supervisor/supervisor.ts'

/** One conversation with a lead, which is a team: it outlives the process and goes on where it was. */
export interface Session extends AsyncDisposable {
  /** The team's name; open it again by this. */
  readonly id: string
  readonly team: TeamHandle
  readonly model: string
  /** Names of the tools the lead is offered. */
  readonly tools: readonly string[]
  /** Tasks that are not completed, by team; teams without any are left out. */
  readonly left: readonly UnfinishedTasks[]
  /** Whether commands are kept in; where they are not, they can alter the team's files. */
  readonly sandbox: OpenedSandbox['state']
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
