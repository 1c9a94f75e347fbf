import type { AlarmClock } from '../journal/clock.ts'

export interface ManualClock extends AlarmClock {
  /** Advances by so many seconds; alarms that are due on the way ring in order, each at its time. */
  advance(seconds: number): void
  /** When the next alarm rings; undefined if none is set. */
  readonly next: number | undefined
}

/** A clock that only the test advances; `start` in seconds since 1970. */
export function manualClock(start = 1_000_000): ManualClock {
  let now = start
  const alarms = new Set<{ readonly at: number; readonly ring: () => void }>()
  const earliest = () => [...alarms].reduce((first, alarm) => (first && first.at <= alarm.at ? first : alarm), first())
  const first = () => alarms.values().next().value
  return {
    now: () => now,
    get next() {
      return earliest()?.at
    },
    in(seconds, ring) {
      const alarm = { at: now + Math.max(0, seconds), ring }
      alarms.add(alarm)
      return () => void alarms.delete(alarm)
    },
    advance(seconds) {
      const end = now + seconds
      for (let due = earliest(); due && due.at <= end; due = earliest()) {
        alarms.delete(due)
        now = Math.max(now, due.at)
        due.ring()
      }
      now = end
    },
  }
}
