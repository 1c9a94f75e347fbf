import type { Plans } from '../team/members/plan-gate.ts'
import type { Refusal } from '../team/refusal.ts'
import type { UnreadMessage } from './team-membership.ts'

/** What only a lead can do: create teams and teammates, and delete teams. The supervisor implements it. */
export interface TeamControl {
  createTeam(name: string, description?: string): Promise<{ readonly isNew: boolean } | Refusal>
  /** Asks every teammate to stop, waits until all have stopped, and deletes the team. */
  deleteTeam(name: string): Promise<DeletedTeam | Refusal>
  spawn(options: SpawnOptions): Promise<SpawnedTeammate | Refusal>
}

export interface DeletedTeam {
  readonly notified: number
  /** What became of each teammate. */
  readonly report: readonly string[]
  /** Messages to the lead that were not delivered before: this is the last chance to deliver them. */
  readonly unread: readonly UnreadMessage[]
}

export interface SpawnOptions {
  readonly name: string
  /** Its first message; without one it takes the next task. */
  readonly prompt?: string | undefined
  /** Undefined: the current team. A team that does not exist is created. */
  readonly team?: string | undefined
  readonly role?: string | undefined
  readonly agentType?: string | undefined
  readonly model?: string | undefined
  /** Claimed before the teammate starts; if the claim is refused, so is the spawn. */
  readonly task?: string | undefined
  readonly requirePlan?: boolean | undefined
}

export interface SpawnedTeammate {
  readonly name: string
  readonly team: string
  readonly role: string
  /** It existed before and was reactivated with its conversation. */
  readonly isKnown: boolean
  readonly task?: string | undefined
  /** Who approves its plan, if it needs one. */
  readonly plans?: Plans | undefined
}
