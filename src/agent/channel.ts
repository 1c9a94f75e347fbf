/** One stream of the items that several producers put, in that order. */
export interface Channel<T> extends AsyncIterable<T> {
  put(item: T): void
  end(): void
}

export function createChannel<T>(): Channel<T> {
  const items: T[] = []
  let ended = false
  let waiting: ((step: IteratorResult<T, undefined>) => void) | undefined

  function give(step: IteratorResult<T, undefined>): void {
    const take = waiting
    waiting = undefined
    take?.(step)
  }

  /** A plain iterator: a generator inside of a generator waits several times for every item. */
  function next(): Promise<IteratorResult<T, undefined>> {
    if (items.length > 0) return Promise.resolve({ done: false, value: items.shift() as T })
    if (ended) return Promise.resolve({ done: true, value: undefined })
    return new Promise((resolve) => {
      waiting = resolve
    })
  }

  return {
    put(item) {
      if (waiting) give({ done: false, value: item })
      else items.push(item)
    },
    end() {
      ended = true
      give({ done: true, value: undefined })
    },
    [Symbol.asyncIterator]: () => ({ next }),
  }
}
