import type { EventOf, Place } from '../event.ts'
import type { Message } from '../message.ts'
import { stepKey } from '../phases/phase.ts'
import { reportedResult, resultKey } from '../plans/reported-result.ts'
import type { TeamState } from '../state.ts'

export function applyPhaseEvent(
  state: TeamState,
  event: EventOf<'step.changed'> | EventOf<'handoff.recorded'>,
  { id, at }: Pick<Place, 'id' | 'at'>,
): void {
  if (event.type === 'handoff.recorded') {
    const { type: _, ...handOff } = event
    return state.handOffs.set(id, { ...handOff, id, at })
  }
  const { type: _, ...change } = event
  const startedAt = change.status === 'started' ? at : (state.steps.get(stepKey(change))?.startedAt ?? at)
  state.steps.set(stepKey(change), { ...change, startedAt, changedAt: at })
}

/** What testers, QA and security report with a hand-off. */
export function applyResult(state: TeamState, message: Message, { at }: Pick<Place, 'at'>): void {
  const result = reportedResult(message, { at, nextTask: state.counters.get().task })
  if (result) state.results.set(resultKey(result), result)
}
