/** Sleeps that `wakeAll` ends early. */
export function createSleep() {
  const sleepers = new Set<() => void>()
  return {
    wakeAll(): void {
      for (const wake of [...sleepers]) wake()
    },
    upTo(milliseconds: number, signal?: AbortSignal): Promise<void> {
      return new Promise((resolve) => {
        const wake = () => {
          clearTimeout(timer)
          sleepers.delete(wake)
          signal?.removeEventListener('abort', wake)
          resolve()
        }
        const timer = setTimeout(wake, milliseconds)
        sleepers.add(wake)
        signal?.addEventListener('abort', wake, { once: true })
      })
    },
  }
}
