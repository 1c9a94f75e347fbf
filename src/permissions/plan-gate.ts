import type { TeamHandle } from '../journal/team-handle.ts'
import { planGateText } from '../prompts/refusals.ts'
import type { Author } from '../team/event.ts'
import { isOpen, planGate } from '../team/plan-gate.ts'
import { memberNamed } from '../team/state.ts'
import type { Check } from './permission.ts'

/** Whoever needs an approved plan only looks until it has one, whatever else it may do. */
export function withPlanGate(team: TeamHandle, by: Author, mayDo: Check): Check {
  return async (wish, call, signal) => {
    const member = memberNamed(team.state, by.name)
    const gate = member ? planGate(team.state, member) : 'not_required'
    if (wish === undefined || wish.kind === 'read' || isOpen(gate)) return mayDo(wish, call, signal)
    return { allowed: false, why: planGateText(gate), isTemporary: true }
  }
}
