/** Resolves waiting callers when something changed. */
export interface ChangeSignal {
  notify(): void
  /** Resolves at the next change, or when `signal` aborts. `also` may add other causes for this one wait. */
  next(signal: AbortSignal, also?: (notify: () => void) => void): Promise<void>
}

export function createChangeSignal(): ChangeSignal {
  const waiting = new Set<() => void>()
  return {
    notify() {
      for (const resolve of [...waiting]) resolve()
    },
    next(signal, also) {
      return new Promise((resolve) => {
        if (signal.aborted) return resolve()
        // A run waits often: a wait that is over leaves no listener on the signal.
        const done = () => {
          signal.removeEventListener('abort', done)
          waiting.delete(done)
          resolve()
        }
        waiting.add(done)
        also?.(done)
        signal.addEventListener('abort', done)
      })
    },
  }
}
