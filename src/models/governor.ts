import type { Clock } from '../journal/clock.ts'
import type { Usage } from '../team/usage.ts'
import { createLane, type Lane, type Place } from './lane.ts'
import type { Model, ModelEvent, ModelRequest, RateLimit } from './model.ts'
import type { Pause } from './world.ts'

type Waiting = Extract<ModelEvent, { type: 'waiting' }>

/** Lets calls through as fast as an account allows, the agents in turn. */
export interface Governor {
  /**
   * An admission if the call may be made at once; else one that ends when it may, and says what it waits for until then.
   * Every admission is given back by `leave`.
   */
  admit(
    model: Model,
    asks: Pick<ModelRequest, 'agent' | 'urgency'>,
    signal: AbortSignal,
  ): Admission | AsyncGenerator<Waiting, Admission>
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

  async function* wait(lane: Lane, place: Place, provider: string, signal: AbortSignal) {
    let isHandedOver = false
    const wake = () => place.wake()
    try {
      signal.addEventListener('abort', wake, { once: true })
      let shown = ''
      while (!place.isAdmitted) {
        const { seconds, why } = lane.hold()
        const reason = `${why} ${Math.round(clock.now() + seconds)}`
        if (shown !== reason) yield { type: 'waiting', provider, seconds, why } as const
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
  }

  return {
    admit({ account, provider }, { agent, urgency }, signal) {
      signal.throwIfAborted()
      const lane = laneOf(account)
      const place = lane.enter(agent, urgency)
      return place.isAdmitted ? lane.admission() : wait(lane, place, provider, signal)
    },
  }
}
