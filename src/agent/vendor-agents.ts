import type { Model } from '../models/model.ts'
import { TeamError } from '../team/errors.ts'
import type { AgentType } from '../tools/subagents/agent-type.ts'
import type { Limits, OpenAgent, RunTurn } from './agent.ts'

/** Agents of other vendors, each run by its own program. The supervisor treats them like our own. */
export interface VendorAgents extends AsyncDisposable {
  /** Throws `VendorAgentRefused` where a teammate of this type cannot be started like this. */
  check(type: VendorType, wanted: VendorSpawn): void
  /** Opens the conversation of a member where it was. Its program starts with its first turn, and ends with the conversation. */
  open(type: VendorType, member: VendorMember): Promise<OpenAgent>
}

export type VendorType = AgentType & { readonly acp: NonNullable<AgentType['acp']> }

export interface VendorSpawn {
  readonly requirePlan: boolean
  readonly limits: Limits
}

export interface VendorMember {
  readonly team: string
  readonly name: string
  /** Opens transcript, inbox and all else that an agent of ours has; only its turns are run by another one. */
  openAgent(own: { readonly model: Model; readonly runTurn: RunTurn }): Promise<OpenAgent>
}

export function isVendorType(type: AgentType | undefined): type is VendorType {
  return type?.acp !== undefined
}

/** Another vendor's agent cannot be started: which, why, and what to do. */
export class VendorAgentRefused extends TeamError {
  readonly code = 'vendor_agent_refused'
}
