import type { Clock } from '../ports/clock.ts'

export interface ManualClock extends Clock {
  /** Lets so many seconds pass. */
  advance(seconds: number): void
}

/** Time that passes only when a test says so; `start` in seconds since 1970. */
export function manualClock(start = 1_000_000): ManualClock {
  let now = start
  return {
    now: () => now,
    advance(seconds) {
      now += seconds
    },
  }
}
