import { AsyncLocalStorage } from 'node:async_hooks'

/** Detects steps inside the work of another step. They belong to it: waiting for their turn would never end. */
export function nestedSteps() {
  const outer = new AsyncLocalStorage<{ isOver: boolean }>()
  return {
    get isInside(): boolean {
      return outer.getStore()?.isOver === false
    },
    async run<T>(work: () => T | Promise<T>): Promise<T> {
      const step = { isOver: false }
      try {
        return await outer.run(step, work)
      } finally {
        step.isOver = true
      }
    },
  }
}
