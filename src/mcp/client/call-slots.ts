/** The most calls that one server carries out at a time; others wait in order. */
const MAX_CALLS = 16

export interface CallSlots {
  /** Waits for a free slot; disposing it frees the slot. */
  take(signal: AbortSignal): Promise<Disposable>
}

export function createCallSlots(max = MAX_CALLS): CallSlots {
  let free = max
  const waiting: (() => void)[] = []

  function slot(): Disposable {
    let isFreed = false
    return {
      [Symbol.dispose]() {
        if (isFreed) return
        isFreed = true
        const next = waiting.shift()
        if (next) next()
        else free++
      },
    }
  }

  return {
    take(signal) {
      signal.throwIfAborted()
      if (free > 0) {
        free--
        return Promise.resolve(slot())
      }
      return new Promise((resolve, reject) => {
        const enter = () => {
          signal.removeEventListener('abort', leave)
          resolve(slot())
        }
        const leave = () => {
          waiting.splice(waiting.indexOf(enter), 1)
          reject(signal.reason)
        }
        waiting.push(enter)
        signal.addEventListener('abort', leave, { once: true })
      })
    },
  }
}
