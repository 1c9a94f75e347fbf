import type { TeamHandle } from '../journal/team-handle.ts'
import { planGateText } from '../prompts/refusals.ts'
import { isOpen, planGate } from '../team/plan-gate.ts'
import { memberNamed } from '../team/state.ts'

/** Why a member may only read until its plan is approved, with its next step; undefined when it may change things. */
export function closedPlanGate({ state }: Pick<TeamHandle, 'state'>, name: string): string | undefined {
  const member = memberNamed(state, name)
  const gate = member ? planGate(state, member) : 'not_required'
  return isOpen(gate) ? undefined : planGateText(gate)
}
