/**
 * One `sync` for everybody who is waiting: whoever comes while one runs shares the next, because the running one may
 * have started before their write.
 */
export function createGroupCommit(sync: () => Promise<void>) {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined

  function start(): Promise<void> {
    const mine = sync().finally(() => {
      if (running === mine) running = undefined
    })
    running = mine
    return mine
  }

  return {
    /** Resolves when a sync that began after this call has ended. */
    commit(): Promise<void> {
      if (!running) return start()
      next ??= running
        .catch(() => {})
        .then(() => {
          next = undefined
          return start()
        })
      return next
    },
    /** Resolves when no sync runs any more; never rejects. */
    async settled(): Promise<void> {
      while (running || next) await (next ?? running)?.catch(() => {})
    },
  }
}
