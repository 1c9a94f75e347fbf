import type { Refusal } from '../team/refusal.ts'
import type { TeamState } from '../team/state.ts'
import type { AgentType } from './subagents/agent-type.ts'

/** The rules of an organisation for the agents of one team: what each role uses, and which roles join the team when. */
export interface RoleRules {
  /** Tools and model of the lead, besides what every lead has for its team. */
  readonly lead?: Pick<AgentType, 'tools' | 'model'> | undefined
  /** Types of the roles that run one-shot only: the lead starts them as subagents. */
  readonly oneShots: readonly AgentType[]
  /** Prompt, tools and model of the agents of a role; undefined for a role that the organisation does not have. */
  typeOf(role: string): AgentType | undefined
  /** Why no agent of this role joins the team now; undefined where it may. */
  whyNotMember(role: string, state: TeamState): Refusal | undefined
}
