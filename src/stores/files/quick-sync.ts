import fs from 'node:fs'
import { promisify } from 'node:util'

/** Milliseconds for which the process may stand still. */
const SHORT = 5
/** After several that took longer: how many are handed to a thread before it is tried again. */
const MOST = 64

/**
 * On most disks a sync takes less time than handing it to a thread and back, which costs as much as deciding what to
 * write. So a quick disk is waited for, and a slow one is not.
 */
export function createQuickSync(
  now: () => number = () => performance.now(),
  wait: (fd: number) => void = fs.fdatasyncSync,
  handOver: (fd: number) => Promise<void> = promisify(fs.fdatasync),
): (fd: number) => Promise<void> {
  let patience = 0
  let toHandOver = 0
  return async (fd) => {
    if (toHandOver > 0) {
      toHandOver--
      return handOver(fd)
    }
    const begin = now()
    wait(fd)
    patience = now() - begin > SHORT ? Math.min(2 * patience + 1, MOST) : 0
    toHandOver = patience
  }
}
