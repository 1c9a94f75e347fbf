import type { LogRecord } from './store.ts'

/** How long a writer that keeps losing is waited for. */
const MAX_WAIT_MS = 200
/** Tries after which others hold back. */
export const LOST_TRIES = 3
/** Decisions after which a writer that did not come back is not waited for: it died. */
const MAX_DECISIONS = 64

/**
 * Remembers the writer that lost most often, three times at least, until its decision counts. Without it a slow decider
 * among fast ones won 1 of 862 tries. A writer that lost as often does not hold back: two would wait for each other.
 */
export function createFairness(now: () => number = () => performance.now()) {
  let waitingFor: { id: string; tries: number; until: number; decisions: number } | undefined

  return {
    refused({ id, tries = 0 }: LogRecord): void {
      if (tries < LOST_TRIES || (waitingFor && waitingFor.tries > tries && waitingFor.until > now())) return
      waitingFor = { id, tries, until: now() + MAX_WAIT_MS, decisions: 0 }
    },
    /** A conditional record that counts. */
    accepted({ id }: LogRecord): void {
      if (!waitingFor) return
      if (waitingFor.id === id || ++waitingFor.decisions >= MAX_DECISIONS) waitingFor = undefined
    },
    forget(id: string): void {
      if (waitingFor?.id === id) waitingFor = undefined
    },
    /** Milliseconds that one who lost `tries` times has to wait; 0 if no other decision lost more often. */
    left(tries: number): number {
      const left = waitingFor ? waitingFor.until - now() : 0
      if (left <= 0) waitingFor = undefined
      return waitingFor && waitingFor.tries > tries ? left : 0
    },
  }
}
