import type { LogRecord } from './store.ts'

/** How long a writer that keeps losing is waited for. */
const PATIENCE = 200
/** Tries after which others hold back. */
export const TRIES = 3
/** Decisions after which a writer that did not come back is not waited for: it died. */
const DECISIONS = 64

/**
 * Remembers the last writer that lost three times or more, until its decision counts. Without it a slow decider among
 * fast ones won 1 of 862 tries.
 */
export function createFairness(now: () => number = () => performance.now()) {
  let waitingFor: { id: string; until: number; decisions: number } | undefined

  return {
    refused({ id, tries = 0 }: LogRecord): void {
      if (tries >= TRIES) waitingFor = { id, until: now() + PATIENCE, decisions: 0 }
    },
    /** A conditional record that counts. */
    accepted({ id }: LogRecord): void {
      if (!waitingFor) return
      if (waitingFor.id === id || ++waitingFor.decisions >= DECISIONS) waitingFor = undefined
    },
    forget(id: string): void {
      if (waitingFor?.id === id) waitingFor = undefined
    },
    /** Milliseconds left to hold back; 0 if nobody is to be waited for. */
    left(): number {
      const left = waitingFor ? waitingFor.until - now() : 0
      if (left <= 0) waitingFor = undefined
      return Math.max(0, left)
    },
  }
}
