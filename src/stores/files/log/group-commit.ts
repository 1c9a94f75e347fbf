/**
 * One `sync` for all callers that wait. It begins after everything that is ready in this turn of the event loop was written: a
 * decision that lost is decided and written again before that, and shares the sync. A caller that comes while a sync runs
 * shares the next one, because the running one may have started before its write.
 */
export function createGroupCommit(sync: () => Promise<void>) {
  let running: { readonly ended: Promise<void>; hasBegun: boolean } | undefined
  let next: Promise<void> | undefined

  function start(): Promise<void> {
    const turn = new Promise<void>((resolve) => setImmediate(resolve))
    const ended = turn
      .then(() => {
        mine.hasBegun = true
        return sync()
      })
      .finally(() => {
        if (running === mine) running = undefined
      })
    const mine = { ended, hasBegun: false }
    running = mine
    return ended
  }

  return {
    /** Resolves when a sync that began after this call has ended. */
    commit(): Promise<void> {
      if (!running) return start()
      if (!running.hasBegun) return running.ended
      next ??= running.ended
        .catch(() => {})
        .then(() => {
          next = undefined
          return start()
        })
      return next
    },
    /** Resolves when no sync runs any more; never rejects. */
    async settled(): Promise<void> {
      while (running || next) await (next ?? running?.ended)?.catch(() => {})
    },
  }
}
