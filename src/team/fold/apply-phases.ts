import type { EventOf, Place } from '../event.ts'
import type { Message } from '../message.ts'
import { stepKey } from '../phases/phase.ts'
import { type ReportedResult, reportedResult, resultIn, resultKey } from '../plans/reported-result.ts'
import type { TeamState } from '../state.ts'

export function applyPhaseEvent(
  state: TeamState,
  event: EventOf<'step.changed'> | EventOf<'handoff.recorded'>,
  { id, at }: Pick<Place, 'id' | 'at'>,
): void {
  if (event.type === 'handoff.recorded') {
    const { type: _, ...handOff } = event
    const { kind, from, content } = handOff
    keepResult(state, resultIn(kind, content, { from, at, nextTask: state.counters.get().task }))
    return state.handOffs.set(id, { ...handOff, id, at })
  }
  const { type: _, ...change } = event
  const startedAt = change.status === 'started' ? at : (state.steps.get(stepKey(change))?.startedAt ?? at)
  state.steps.set(stepKey(change), { ...change, startedAt, changedAt: at })
}

/** What testers, QA and security report with a hand-off. */
export function applyResult(state: TeamState, message: Message, { at }: Pick<Place, 'at'>): void {
  keepResult(state, reportedResult(message, { at, nextTask: state.counters.get().task }))
}

function keepResult(state: TeamState, result: ReportedResult | undefined): void {
  if (result) state.results.set(resultKey(result), result)
}
