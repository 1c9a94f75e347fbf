import type { Health, TeamEvent } from '../../team/event.ts'
import { nameKey } from '../../team/name.ts'

/**
 * The health of the agents of a team, as monitoring reads it from the journal. Each transition is reported once, in the
 * record that causes it.
 *
 * start        it was spawned or brought back
 * working      its model is asked
 * idle         it has nothing to do
 * stop         it stopped
 * disappeared  it failed or its model was silent for too long; the next generation begins with start
 */
export interface HealthTracker {
  /** No event if the state is reported already, or if no `start` was reported for this generation. */
  change(agent: AgentGeneration, state: Health, timeoutTriggered?: boolean): TeamEvent[]
}

interface AgentGeneration {
  readonly name: string
  readonly generation: number
}

export function createHealthTracker(): HealthTracker {
  const known = new Map<string, { readonly generation: number; readonly state: Health }>()
  return {
    change({ name, generation }, state, timeoutTriggered = false) {
      const before = known.get(nameKey(name))
      if (state !== 'start' && before?.generation !== generation) return []
      if (before?.generation === generation && before.state === state) return []
      known.set(nameKey(name), { generation, state })
      const previous = before?.state ?? null
      return [{ type: 'agent.health', name, generation, state, previous, timeoutTriggered }]
    },
  }
}
