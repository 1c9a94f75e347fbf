/** The bytes of a response on their way from the connection to the provider package. */
export interface ResponseBody {
  readonly stream: ReadableStream<Uint8Array>
  put(bytes: Uint8Array): void
  end(): void
  /** Drops unread bytes: the reader gets the error instead. */
  fail(error: unknown): void
  /** A reader waits for more bytes. */
  readonly isAwaited: boolean
  readonly unreadBytes: number
}

export interface BodyEvents {
  /** A reader has begun to wait. */
  onWait(): void
  /** The reader wants no more. */
  onCancel(): void
}

export function createResponseBody({ onWait, onCancel }: BodyEvents): ResponseBody {
  let controller!: ReadableStreamDefaultController<Uint8Array>
  let isOpen = true
  let isAwaited = false
  const stream = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given
      },
      pull() {
        isAwaited = true
        onWait()
      },
      cancel() {
        isOpen = false
        onCancel()
      },
    },
    // With a high-water mark of 0 the stream pulls only for a reader that waits.
    { highWaterMark: 0, size: ({ byteLength }) => byteLength },
  )

  function close(how: () => void): void {
    if (!isOpen) return
    isOpen = false
    how()
  }

  return {
    stream,
    put(bytes) {
      if (!isOpen) return
      isAwaited = false
      controller.enqueue(bytes)
    },
    end: () => close(() => controller.close()),
    fail: (error) => close(() => controller.error(error)),
    get isAwaited() {
      return isAwaited
    },
    get unreadBytes() {
      return -(controller.desiredSize ?? 0)
    },
  }
}
