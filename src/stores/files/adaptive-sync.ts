import fs from 'node:fs'
import { promisify } from 'node:util'

/** Milliseconds for which the process may stand still. */
const SHORT = 5
/**
 * How many in a row have to take longer before the disk is held to be slow. On a busy machine one of them seems to take
 * long when somebody else has the processor as it ends; handing over the next would only ask more of the processor.
 */
const IN_A_ROW = 3
/** How many are handed to a thread at most before it is tried again. */
const MOST = 64
/** A lead and one teammate sync three files. Where there are more, somebody else has something to do meanwhile. */
const FEW = 3
/** So many syncs tell how many files there are. */
const LATELY = 64

/**
 * On most disks a sync takes less time than handing it to a thread and back, which costs as much as deciding what to
 * write. So a quick disk is waited for, and a slow one is not. Of several files that are to be synced in the same turn of
 * the event loop only the first is: the others are synced side by side, while the first goes on. Where many files are
 * synced all the time there are many agents, and none of them is to stand still for another.
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
  let lately = new Set<number>()
  let count = 0

  function isCrowded(fd: number): boolean {
    lately.add(fd)
    if (++count % LATELY === 0) {
      before = lately
      lately = new Set()
    }
    return Math.max(before.size, lately.size) > FEW
  }

  return async (fd) => {
    if (isCrowded(fd) || !isFirst) return handOver(fd)
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
    slow = now() - begin > SHORT ? slow + 1 : 0
    if (slow >= IN_A_ROW) toHandOver = Math.min(2 ** (slow - IN_A_ROW + 1) - 1, MOST)
  }
}
