import type { AlarmClock } from '../../ports/clock.ts'
import type { Author } from '../../team/event.ts'
import type { Member } from '../../team/member.ts'
import type { Plans } from '../../team/plan-gate.ts'
import type { Task } from '../../team/task.ts'
import type { AgentEvent } from '../converse/agent-event.ts'
import type { Conversation, Notices } from '../converse/conversation.ts'
import type { Team } from '../team.ts'

/** What a crew is given: a team, and how its members come to work. Nothing here belongs to a disk or a provider. */
export interface CrewPlan {
  readonly team: Team
  /** The lead in this team, in whose name the runtime decides. */
  readonly lead: Author
  /** This process, as the journal names it. */
  readonly runtime: string
  readonly clock: AlarmClock
  /** A member sits down: its conversation is taken up where it was. */
  openDesk(member: Member, by: Author): Promise<Desk>
  /**
   * Carries out one task without a teammate, as the member `as` that holds it. It completes the task by its own tool call
   * or not at all; `problem` says why it ended without its last words.
   */
  errand(
    task: Task,
    member: Member,
    as: Author,
    signal: AbortSignal,
  ): Promise<{ text: string; problem?: string | undefined }>
  /** What somebody wants to be done before this agent rests, after it went on so often; undefined if it may rest. */
  wantsMore?(agent: Author, goneOn: number, signal: AbortSignal): Promise<string | undefined>
  /** Files that are changed and not committed; undefined where nothing keeps count. */
  uncommitted(): Promise<number | undefined>
  /** For whoever watches. */
  tell(event: CrewEvent): void
  /** Somebody has come to rest. */
  onRest(): void
  /** The lead rests, and in none of its teams is anything left but what members still say. */
  isRunFinished(): boolean
  /** False once the money of this run is spent: everybody rests. */
  mayWork(): boolean
  readonly settings: CrewSettings
}

export interface CrewSettings {
  /** Seconds without a sign of life after which a teammate that works counts as lost. */
  readonly stall: number
  /** Seconds of rest after which a teammate stops by itself; without it, never. */
  readonly idle?: number | undefined
  /** Who says yes to plans. */
  readonly plans: Plans
}

export const CREW_SETTINGS: CrewSettings = { stall: 900, plans: 'lead' }

/** What an agent works with. */
export interface Desk extends AsyncDisposable {
  readonly talk: Conversation
  readonly notices: Notices
  /** Turns of its conversation are lost, and it was told so. */
  readonly hasLostTurns?: boolean
  /** Hands in what the journal is owed; whoever writes or listens next hears what goes wrong with that. */
  post(): void
}

export type CrewEvent =
  | (AgentEvent & { readonly agent: string })
  /** A line for the log: health, fallback, shutdown. */
  | { readonly type: 'note'; readonly agent: string; readonly text: string }
  /** Something is lost or damaged, although the run goes on: it stands in the errors of the result. */
  | { readonly type: 'problem'; readonly agent: string; readonly text: string }
