/** Where time comes from, so that a day of teamwork runs in milliseconds in a test. */
export interface Clock {
  /** Seconds since 1970 with a fraction. */
  now(): number
}

/** A clock that also rings: deadlines, leases and stalls are its business, never a timer's of their own. */
export interface AlarmClock extends Clock {
  /** Calls `ring` once, in so many seconds; what it returns takes that back. */
  in(seconds: number, ring: () => void): () => void
}

export const systemClock: AlarmClock = {
  now: () => Date.now() / 1000,
  in(seconds, ring) {
    const timer = setTimeout(ring, Math.min(seconds * 1000, LONGEST))
    return () => clearTimeout(timer)
  },
}

/** Milliseconds; a timer set for longer would go off at once. */
const LONGEST = 2 ** 31 - 1
