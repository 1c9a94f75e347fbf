import type { Clock } from '../ports/clock.ts'
import type { Model, ModelEvent, ModelRequest, RateLimit } from '../ports/model.ts'
import type { Usage } from '../team/usage.ts'
import { createLane, type Lane } from './lane.ts'
import type { Pause } from './world.ts'

type Waiting = Extract<ModelEvent, { type: 'waiting' }>

/** Lets calls through as fast as an account allows, the agents in turn. */
export interface Governor {
  /** Ends when the call may be made; says what it waits for until then. Every admission is given back by `leave`. */
  admit(
    model: Model,
    asks: Pick<ModelRequest, 'agent' | 'urgency'>,
    signal: AbortSignal,
  ): AsyncGenerator<Waiting, Admission>
}

export interface Admission {
  /** What the provider says is left. */
  heed(limits: readonly RateLimit[]): void
  /** The provider refused the call because of its limits: nobody calls for so many seconds, and fewer at a time. */
  refused(seconds: number): void
  succeeded(usage: Usage): void
  leave(): void
}

export function createGovernor(clock: Clock, pause: Pause): Governor {
  const lanes = new Map<string, Lane>()

  function laneOf(account: string): Lane {
    let lane = lanes.get(account)
    if (lane === undefined) {
      lane = createLane(clock, pause)
      lanes.set(account, lane)
    }
    return lane
  }

  return {
    async *admit({ account, provider }, { agent, urgency }, signal) {
      signal.throwIfAborted()
      const lane = laneOf(account)
      const place = lane.enter(agent, urgency)
      if (place.isAdmitted) return lane.admission()
      let isHandedOver = false
      const wake = () => place.wake()
      try {
        signal.addEventListener('abort', wake, { once: true })
        let shown = ''
        while (!place.isAdmitted) {
          const { seconds, why } = lane.hold()
          const reason = `${why} ${Math.round(clock.now() + seconds)}`
          if (shown !== reason) yield { type: 'waiting', provider, seconds, why }
          shown = reason
          signal.throwIfAborted()
          if (!place.isAdmitted) await place.news()
          signal.throwIfAborted()
        }
        isHandedOver = true
        return lane.admission()
      } finally {
        signal.removeEventListener('abort', wake)
        if (!isHandedOver) place.giveUp()
      }
    },
  }
}
