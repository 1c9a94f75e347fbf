/** The bytes of an answer as they come in, for one reader. */
export interface Incoming {
  put(bytes: Uint8Array): void
  end(): void
  /** What was put before is not worth reading any more. */
  fail(error: unknown): void
  read(): Promise<Piece>
  /** Somebody waits for more. */
  readonly isAwaited: boolean
  /** Bytes that nobody has read yet. */
  readonly size: number
}

type Piece = { readonly done: false; readonly value: Uint8Array } | { readonly done: true; readonly value: undefined }

interface Reader {
  resolve(piece: Piece): void
  reject(error: unknown): void
}

export function createIncoming(): Incoming {
  const pieces: Uint8Array[] = []
  let size = 0
  let ending: { readonly error?: unknown } | undefined
  let reader: Reader | undefined

  function settle(): void {
    const waiting = reader
    if (!waiting) return
    const value = pieces.shift()
    if (value) {
      size -= value.length
      waiting.resolve({ done: false, value })
    } else if (!ending) {
      return
    } else if ('error' in ending) {
      waiting.reject(ending.error)
    } else {
      waiting.resolve({ done: true, value: undefined })
    }
    reader = undefined
  }

  return {
    put(bytes) {
      if (ending) return
      pieces.push(bytes)
      size += bytes.length
      settle()
    },
    end() {
      ending ??= {}
      settle()
    },
    fail(error) {
      if (ending) return
      ending = { error }
      pieces.length = 0
      size = 0
      settle()
    },
    read: () =>
      new Promise((resolve, reject) => {
        reader = { resolve, reject }
        settle()
      }),
    get isAwaited() {
      return reader !== undefined
    },
    get size() {
      return size
    },
  }
}
