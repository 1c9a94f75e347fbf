import type { EventOf, Place } from '../event.ts'
import type { TeamState } from '../state.ts'

export function applyPlanEvent(
  state: TeamState,
  event: EventOf<'plan.loaded'> | EventOf<'plan.ended'>,
  { at }: Pick<Place, 'at'>,
): void {
  if (event.type === 'plan.loaded') {
    const { type: _, plan: id, ...facts } = event
    return state.plans.set(id, { id, ...facts, loadedAt: at, summary: null })
  }
  const plan = state.plans.get(event.plan)
  if (plan) state.plans.set(event.plan, { ...plan, summary: event.summary })
}
