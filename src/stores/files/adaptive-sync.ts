import fs from 'node:fs'
import { promisify } from 'node:util'

/** A sync may block the event loop for this long. */
const MAX_BLOCK_MS = 5
/**
 * After this many long syncs in a row the disk counts as slow. On a busy machine a single sync seems long when another process
 * has the processor at its end; a thread for the next one would only need more processor time.
 */
const SLOW_SYNCS = 3
/** After at most this many syncs on a thread a blocking one is tried again. */
const MAX_THREADED_SYNCS = 64
/** A lead and one teammate sync three files. With more, other agents have work to do during a sync. */
const MAX_BLOCKING_FILES = 3
/** The number of files is counted over this many syncs. */
const WINDOW_SYNCS = 64

/**
 * On most disks a blocking sync takes less time than a thread for it. So this process blocks on a fast disk and uses a thread on
 * a slow one. Of several files in the same turn of the event loop only the first blocks; the others are synced in parallel.
 * Where many files are synced all the time there are many agents, and none of them should block another.
 */
export function createAdaptiveSync(
  now: () => number = () => performance.now(),
  wait: (fd: number) => void = fs.fdatasyncSync,
  handOver: (fd: number) => Promise<void> = promisify(fs.fdatasync),
): (fd: number) => Promise<void> {
  let slow = 0
  let toHandOver = 0
  let isFirst = true
  let before = new Set<number>()
  let current = new Set<number>()
  let count = 0

  function hasManyFiles(fd: number): boolean {
    current.add(fd)
    if (++count % WINDOW_SYNCS === 0) {
      before = current
      current = new Set()
    }
    return Math.max(before.size, current.size) > MAX_BLOCKING_FILES
  }

  return async (fd) => {
    if (hasManyFiles(fd) || !isFirst) return handOver(fd)
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
    slow = now() - begin > MAX_BLOCK_MS ? slow + 1 : 0
    if (slow >= SLOW_SYNCS) toHandOver = Math.min(2 ** (slow - SLOW_SYNCS + 1) - 1, MAX_THREADED_SYNCS)
  }
}
