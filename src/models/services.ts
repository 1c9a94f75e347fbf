import { type Clock, systemClock } from '../journal/clock.ts'
import { createRateLimiter, type RateLimiter } from './rate-limits/rate-limiter.ts'
import { type Pause, type StartTimer, startSystemTimer, systemPause } from './timers.ts'

/** What calls and retries need from outside. Tests pass their own. */
export interface ModelServices {
  readonly clock: Clock
  readonly pause: Pause
  readonly startTimer: StartTimer
  /** From 0 up to 1. */
  readonly random: () => number
  /** All calls of a process share one, so that agents with the same key share its limits. */
  readonly rateLimiter: RateLimiter
  /** The workspace folder: recordings replace it, because it differs between machines. */
  readonly root?: string
}

export const systemServices: ModelServices = {
  clock: systemClock,
  pause: systemPause,
  startTimer: startSystemTimer,
  random: Math.random,
  rateLimiter: createRateLimiter(systemClock, systemPause),
}
