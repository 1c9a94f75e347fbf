/** What several workers say, as one stream in the order they said it. */
export interface Channel<T> extends AsyncIterable<T> {
  put(item: T): void
  end(): void
}

export function createChannel<T>(): Channel<T> {
  const items: T[] = []
  let ended = false
  let wake: () => void = () => {}
  return {
    put(item) {
      items.push(item)
      wake()
    },
    end() {
      ended = true
      wake()
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        yield* items.splice(0)
        if (ended && items.length === 0) return
        if (items.length > 0) continue
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}
