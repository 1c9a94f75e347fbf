/**
 * As much of web streams as the provider packages use, for one reader that takes what it wants. Node's own are general
 * and take half the CPU of a whole call; scripts/lean-streams.ts puts these in their place when the packages are
 * bundled or tested. Nothing else sees them.
 */
interface Source<T> {
  start?(controller: Controller<T>): unknown
  pull?(controller: Controller<T>): unknown
  cancel?(reason?: unknown): unknown
}

interface Controller<T> {
  enqueue(value: T): void
  close(): void
  error(error: unknown): void
  terminate(): void
}

interface Reader<T> {
  read(): Promise<{ done: false; value: T } | { done: true; value: undefined }>
  cancel(reason?: unknown): Promise<void>
  releaseLock(): void
}

export class ReadableStream<T> {
  readonly #source: Source<T>
  readonly #controller: Controller<T>
  readonly #queue: T[] = []
  #end: { readonly error?: unknown } | undefined
  #pulling: Promise<void> | undefined
  #tell: () => void = () => {}

  constructor(source: Source<T> = {}) {
    this.#source = source
    const end = (how: { error?: unknown }) => {
      this.#end ??= how
      this.#tell()
    }
    this.#controller = {
      enqueue: (value) => {
        if (this.#end) return
        this.#queue.push(value)
        this.#tell()
      },
      close: () => end({}),
      terminate: () => end({}),
      error: (error) => {
        this.#queue.length = 0
        end({ error })
      },
    }
    source.start?.(this.#controller)
  }

  getReader(): Reader<T> {
    return { read: () => this.#read(), cancel: (reason) => this.cancel(reason), releaseLock() {} }
  }

  async cancel(reason?: unknown): Promise<void> {
    if (this.#end) return
    this.#queue.length = 0
    this.#controller.close()
    await this.#source.cancel?.(reason)
  }

  pipeThrough<Out>(transform: TransformStream<T, Out>): ReadableStream<Out> {
    return transform.of(this)
  }

  tee(): [ReadableStream<T>, ReadableStream<T>] {
    const reader = this.getReader()
    const open = new Set<Controller<T>>()
    const pull = async () => {
      try {
        const { done, value } = await reader.read()
        for (const branch of open) done ? branch.close() : branch.enqueue(value)
      } catch (error) {
        for (const branch of open) branch.error(error)
      }
    }
    const branch = () => {
      let own: Controller<T>
      return new ReadableStream<T>({
        start: (controller) => {
          own = controller
          open.add(controller)
        },
        pull,
        async cancel(reason) {
          open.delete(own)
          if (open.size === 0) await reader.cancel(reason)
        },
      })
    }
    return [branch(), branch()]
  }

  async #read(): ReturnType<Reader<T>['read']> {
    while (true) {
      if (this.#queue.length > 0) return { done: false, value: this.#queue.shift()! }
      if (this.#end) {
        if ('error' in this.#end) throw this.#end.error
        return { done: true, value: undefined }
      }
      if (this.#source.pull) await this.#pull()
      // A source that says nothing when asked speaks up by itself.
      if (this.#queue.length === 0 && !this.#end) await new Promise<void>((resolve) => (this.#tell = resolve))
    }
  }

  #pull(): Promise<void> {
    this.#pulling ??= (async () => {
      try {
        await this.#source.pull?.(this.#controller)
      } catch (error) {
        this.#controller.error(error)
      } finally {
        this.#pulling = undefined
      }
    })()
    return this.#pulling
  }
}

interface Transformer<In, Out> {
  start?(controller: Controller<Out>): unknown
  transform?(value: In, controller: Controller<Out>): unknown
  flush?(controller: Controller<Out>): unknown
}

export class TransformStream<In, Out> {
  readonly #transformer: Transformer<In, Out>

  constructor(transformer: Transformer<In, Out> = {}) {
    this.#transformer = transformer
  }

  /** What comes out of it when this goes in. */
  of(input: ReadableStream<In>): ReadableStream<Out> {
    const transformer = this.#transformer
    const reader = input.getReader()
    let hasMore = true
    let hasOutput = false
    const watched = (controller: Controller<Out>): Controller<Out> => ({
      enqueue(value) {
        hasOutput = true
        controller.enqueue(value)
      },
      close: () => stop(() => controller.close()),
      terminate: () => stop(() => controller.close()),
      error: (error) => stop(() => controller.error(error)),
    })
    const stop = (end: () => void) => {
      hasMore = false
      end()
    }
    let output: Controller<Out>
    return new ReadableStream<Out>({
      start(controller) {
        output = watched(controller)
        return transformer.start?.(output)
      },
      async pull() {
        hasOutput = false
        // One value in may be none out, or many.
        while (hasMore && !hasOutput) {
          const { done, value } = await reader.read()
          if (done) {
            await transformer.flush?.(output)
            return output.close()
          }
          try {
            const transformed = transformer.transform?.(value, output)
            if (transformed instanceof Promise) await transformed
          } catch (error) {
            output.error(error)
            await reader.cancel(error)
          }
        }
      },
      cancel: (reason) => reader.cancel(reason),
    })
  }
}

export class TextDecoderStream extends TransformStream<Uint8Array, string> {
  constructor(label?: string) {
    const decoder = new TextDecoder(label)
    const emit = (text: string, controller: Controller<string>) => {
      if (text !== '') controller.enqueue(text)
    }
    super({
      transform: (bytes, controller) => emit(decoder.decode(bytes, { stream: true }), controller),
      flush: (controller) => emit(decoder.decode(), controller),
    })
  }
}
