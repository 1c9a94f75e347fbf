import { type Order, turnOnly } from '../../journal/replay/order.ts'
import { nestedSteps } from './nested-steps.ts'

/** Runs steps one after the other as they are requested, and reports the name of each when it begins. */
export function recordOrder(onBegin: (name: string) => void): Order {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  const watchers = new Set<() => void>()
  const nested = nestedSteps()

  const order: Order = {
    async step(name, work) {
      if (nested.isInside) return work()
      const before = last
      let end = () => {}
      last = new Promise<void>((resolve) => {
        end = resolve
      })
      waiting++
      await before
      waiting--
      onBegin(name)
      try {
        return await nested.run(work)
      } finally {
        // The caller continues first.
        setImmediate(() => {
          end()
          notifyAll(watchers)
        })
      }
    },
    async span(name, work) {
      await order.step(`${name} begins`, turnOnly)
      try {
        return await work()
      } finally {
        await order.step(`${name} ends`, turnOnly)
      }
    },
    get waiting() {
      return waiting
    },
    moved: () => new Promise((resolve) => void watchers.add(resolve)),
    // Steps are short and never wait for each other.
    release() {},
  }
  return order
}

export function notifyAll(watchers: Set<() => void>): void {
  const all = [...watchers]
  watchers.clear()
  for (const notify of all) notify()
}
