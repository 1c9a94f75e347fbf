import { nameKey } from '../name.ts'
import type { Request } from '../request.ts'
import { heldBy, type TeamState } from '../state.ts'
import type { Member } from './member.ts'

/**
 * not_required  it needs no approval
 * required      it has to submit a plan first
 * pending       its plan waits for an answer
 * approved      it may work, on this task, in this generation
 * rejected      it has to submit another plan
 */
export type PlanGate = 'not_required' | 'required' | 'pending' | 'approved' | 'rejected'

/** An approval is good for one assignment of one generation: the next task needs another. */
export function planGate(state: TeamState, member: Member): PlanGate {
  if (!member.profile?.requirePlan) return 'not_required'
  const task = heldBy(state, member.name)
  const isMeant = ({ kind, from, fromGeneration, assignment }: Request) =>
    kind === 'plan_approval' &&
    nameKey(from) === nameKey(member.name) &&
    fromGeneration === member.generation &&
    assignment?.task === task?.id &&
    assignment?.attempt === task?.attempts
  const newest = [...state.requests.values()].filter(isMeant).sort((a, b) => numberOf(b) - numberOf(a))[0]
  if (!newest || newest.state === 'void' || newest.state === 'timed_out') return 'required'
  return newest.state
}

/** Plans are approved by the lead, by a person, or by a rule. */
export const PLANS = ['lead', 'human', 'auto'] as const
export type Plans = (typeof PLANS)[number]

/** Does the gate let this member run and change things? */
export function isOpen(gate: PlanGate): boolean {
  return gate === 'not_required' || gate === 'approved'
}

function numberOf({ id }: Request): number {
  return Number(id.slice(1))
}
