/** What several workers say, as one stream in the order they said it. */
export interface Channel<T> extends AsyncIterable<T> {
  put(item: T): void
  end(): void
}

export function createChannel<T>(): Channel<T> {
  const items: T[] = []
  let ended = false
  let wake: (() => void) | undefined

  /** A plain iterator: a generator inside of a generator waits several times for every item. */
  async function next(): Promise<IteratorResult<T, undefined>> {
    while (items.length === 0 && !ended) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    return items.length > 0 ? { done: false, value: items.shift() as T } : { done: true, value: undefined }
  }

  return {
    put(item) {
      items.push(item)
      wake?.()
    },
    end() {
      ended = true
      wake?.()
    },
    [Symbol.asyncIterator]: () => ({ next }),
  }
}
