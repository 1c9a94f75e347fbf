/** Where time comes from, so that a day of teamwork runs in milliseconds in a test. */
export interface Clock {
  /** Seconds since 1970 with a fraction. */
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() / 1000 }
