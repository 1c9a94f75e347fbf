import type { Health, TeamEvent } from '../team/event.ts'
import { nameKey } from '../team/name.ts'

/**
 * How the agents of a crew are, in the words of whoever watches them: each transition once, to be put on record with
 * what it comes from.
 *
 * start        it was made, or brought back
 * working      its model is asked
 * idle         it has nothing to do
 * stop         it has left
 * disappeared  it failed or fell silent; a new life begins with start
 */
export interface HealthTracker {
  /** Nothing where that is known already, or nobody was told that it lives. */
  change(life: Life, state: Health, timeoutTriggered?: boolean): TeamEvent[]
}

interface Life {
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
