import type { PendingWrite, Result } from './batch.ts'
import { scheduler } from './scheduler.ts'

/** The writes of this process to one journal, in the order they arrived. One round takes all of them; rounds never overlap. */
export interface WriteQueue {
  /** Resolves with the result of the write. `canWait`: no caller waits for it, so it is written when the event loop is idle. */
  add<T>(write: Pick<PendingWrite, 'id' | 'by' | 'what' | 'resolveOnWrite'>, canWait: boolean): Promise<T>
  /** The next round takes these again, before the writes that arrived since. */
  retry(entries: readonly PendingWrite[]): void
  /** The next round takes this one, after the writes that arrived before. */
  postpone(entry: PendingWrite): void
  has(entry: PendingWrite): boolean
  /** Runs `work` while no round runs. */
  alone<T>(work: () => Promise<T>): Promise<T>
  /** Resolves when the queue is empty and no work runs. */
  idle(): Promise<void>
}

export function createWriteQueue({
  holdBack,
  round,
}: {
  /** Awaited before each round, with the number of times its most unlucky write was decided in vain. */
  holdBack(tries: number): Promise<(() => void) | undefined>
  round(entries: readonly PendingWrite[]): Promise<void>
}): WriteQueue {
  const queue: PendingWrite[] = []
  let last: Promise<unknown> = Promise.resolve()
  let working: Promise<void> | undefined
  let startNow = () => {}
  let arrivals = 0

  function alone<T>(work: () => Promise<T>): Promise<T> {
    const next = last.then(work, work)
    last = next.catch(() => {})
    return next
  }

  async function work(canWait: boolean): Promise<void> {
    try {
      if (canWait)
        await new Promise<void>((resolve) => {
          startNow = resolve
          scheduler.whenIdle().then(resolve)
        })
      while (queue.length > 0) {
        const letOthersDecide = await holdBack(Math.max(...queue.map((entry) => entry.tries)))
        await alone(() => round(queue.splice(0))).finally(letOthersDecide)
      }
    } catch (error) {
      for (const entry of queue.splice(0)) entry.fail(error)
    } finally {
      working = undefined
    }
  }

  return {
    add: <T>(write: Pick<PendingWrite, 'id' | 'by' | 'what' | 'resolveOnWrite'>, canWait: boolean) =>
      new Promise<T>((resolve, fail) => {
        const settle = (result: Result) => resolve(result as T)
        queue.push({ ...write, arrival: arrivals++, tries: 0, settle, fail })
        if (!canWait) startNow()
        working ??= work(canWait)
      }),
    retry: (entries) => void queue.unshift(...[...entries].sort((a, b) => a.arrival - b.arrival)),
    postpone: (entry) => void queue.push(entry),
    has: (entry) => queue.includes(entry),
    alone,
    async idle() {
      while (working) await working
      await last
    },
  }
}
