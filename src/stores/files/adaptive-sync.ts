import fs from 'node:fs'
import { promisify } from 'node:util'

/** A sync may block the event loop for this long. */
const MAX_BLOCK_MS = 1
/**
 * After a longer one so many syncs use a thread before a blocking one is tried again, and twice as many after each try that
 * is long too. A disk that is slow once costs little this way, and a slow disk or a busy machine blocks in one of 64.
 */
const MIN_THREADED_SYNCS = 8
const MAX_THREADED_SYNCS = 64

/**
 * On a fast disk a blocking sync takes less time than a thread for it, whose answer waits until the event loop is free, and no
 * agent notices that it blocks. On a slow disk, and on a busy machine, this process uses a thread (docs/decisions/0022). Of
 * several files in the same turn of the event loop only the first blocks; the others are synced in parallel.
 */
export function createAdaptiveSync(
  now: () => number = () => performance.now(),
  wait: (fd: number) => void = fs.fdatasyncSync,
  handOver: (fd: number) => Promise<void> = promisify(fs.fdatasync),
): (fd: number) => Promise<void> {
  let toHandOver = 0
  let nextToHandOver = MIN_THREADED_SYNCS
  let isFirst = true

  return async (fd) => {
    if (!isFirst) return handOver(fd)
    isFirst = false
    setImmediate(() => {
      isFirst = true
    })
    if (toHandOver > 0) {
      toHandOver--
      return handOver(fd)
    }
    const begin = now()
    wait(fd)
    const isLong = now() - begin > MAX_BLOCK_MS
    if (isLong) toHandOver = nextToHandOver
    nextToHandOver = isLong ? Math.min(nextToHandOver * 2, MAX_THREADED_SYNCS) : MIN_THREADED_SYNCS
  }
}
