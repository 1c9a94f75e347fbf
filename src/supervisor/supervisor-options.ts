import type { OpenAgent } from '../agent/agent.ts'
import type { AgentEvent } from '../agent/agent-event.ts'
import type { SupervisorSettings } from '../agent/session-context.ts'
import type { AlarmClock } from '../journal/clock.ts'
import type { TeamHandle } from '../journal/team-handle.ts'
import type { Author } from '../team/event.ts'
import type { Member } from '../team/member.ts'
import type { Task } from '../team/task.ts'

/** What a crew is given: a team, and how its members come to work. Nothing here belongs to a disk or a provider. */
export interface SupervisedTeamOptions {
  readonly team: TeamHandle
  /** The lead in this team, in whose name the runtime decides. */
  readonly lead: Author
  /** This process, as the journal names it. */
  readonly runtime: string
  readonly clock: AlarmClock
  /** A member sits down: its conversation is taken up where it was. */
  openAgent(member: Member, by: Author): Promise<OpenAgent>
  /**
   * Carries out one task without a teammate, as the member `as` that holds it. It completes the task by its own tool call
   * or not at all; `problem` says why it ended without its last words.
   */
  runInPlaceOf(
    task: Task,
    member: Member,
    as: Author,
    signal: AbortSignal,
  ): Promise<{ text: string; problem?: string | undefined }>
  /** What somebody wants to be done before this agent rests, after it went on so often; undefined if it may rest. */
  stopHookFeedback?(agent: Author, goneOn: number, signal: AbortSignal): Promise<string | undefined>
  /** Files that are changed and not committed; undefined where nothing keeps count. */
  uncommitted(): Promise<number | undefined>
  /** For whoever watches. */
  emit(event: SupervisorEvent): void
  /** Somebody has come to rest. */
  onIdle(): void
  /** The lead rests, and in none of its teams is anything left but what members still say. */
  isRunFinished(): boolean
  /** False once the money of this run is spent: everybody rests. */
  mayWork(): boolean
  readonly settings: SupervisorSettings
}

export const DEFAULT_SUPERVISOR_SETTINGS: SupervisorSettings = { stall: 900, plans: 'lead' }

export type SupervisorEvent =
  | (AgentEvent & { readonly agent: string })
  /** A line for the log: health, fallback, shutdown. */
  | { readonly type: 'note'; readonly agent: string; readonly text: string }
  /** Something is lost or damaged, although the run goes on: it stands in the errors of the result. */
  | { readonly type: 'problem'; readonly agent: string; readonly text: string }
