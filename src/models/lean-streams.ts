/**
 * As much of web streams as the provider packages use, for one reader that takes what it wants. Node's own are general
 * and take half the CPU of a whole call; scripts/lean-packages.ts puts these in their place when the packages are
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

type Step<T> = { done: false; value: T } | { done: true; value: undefined }

interface Reader<T> {
  read(): Promise<Step<T>>
  cancel(reason?: unknown): Promise<void>
  releaseLock(): void
}

/** Brings the next value nearer; a promise only where something has to be waited for, since each of them costs. */
type Advance = () => Promise<void> | undefined

export class ReadableStream<T> {
  readonly #source: Source<T>
  readonly #controller: Controller<T>
  readonly #queue: T[] = []
  #end: { readonly error?: unknown } | undefined
  #pulling: Promise<void> | undefined
  #hasSpoken = false
  #tell: () => void = () => {}
  readonly #ask: Advance

  constructor(source: Source<T> = {}, ask?: Advance) {
    this.#source = source
    this.#ask = ask ?? (() => this.#pull())
    const speak = () => {
      this.#hasSpoken = true
      this.#tell()
    }
    const end = (how: { error?: unknown }) => {
      this.#end ??= how
      speak()
    }
    this.#controller = {
      enqueue: (value) => {
        if (this.#end) return
        this.#queue.push(value)
        speak()
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
    return { read: () => this.read(), cancel: (reason) => this.cancel(reason), releaseLock() {} }
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
    const open = new Set<Controller<T>>()
    const pull = async () => {
      try {
        const { done, value } = await this.read()
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
        cancel: async (reason) => {
          open.delete(own)
          if (open.size === 0) await this.cancel(reason)
        },
      })
    }
    return [branch(), branch()]
  }

  /** The next step, if it is there. */
  ready(): Step<T> | undefined {
    if (this.#queue.length > 0) return { done: false, value: this.#queue.shift()! }
    if (!this.#end) return undefined
    if ('error' in this.#end) throw this.#end.error
    return { done: true, value: undefined }
  }

  async read(): Promise<Step<T>> {
    for (;;) {
      const step = this.ready()
      if (step) return step
      const advanced = this.advance()
      if (advanced) await advanced
    }
  }

  advance(): Promise<void> | undefined {
    try {
      return this.#ask()
    } catch (error) {
      this.#controller.error(error)
      return undefined
    }
  }

  #pull(): Promise<void> {
    this.#pulling ??= this.#pulled().finally(() => {
      this.#pulling = undefined
    })
    return this.#pulling
  }

  async #pulled(): Promise<void> {
    this.#hasSpoken = false
    try {
      await this.#source.pull?.(this.#controller)
    } catch (error) {
      this.#controller.error(error)
    }
    // A source that says nothing when asked speaks up by itself.
    if (!this.#hasSpoken) await new Promise<void>((resolve) => (this.#tell = resolve))
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
    let output: Controller<Out>
    let waiting: Promise<void> | undefined

    /** One value in may be none out, or many. */
    function pass({ done, value }: Step<In>): void {
      const passed = done ? transformer.flush?.(output) : transformer.transform?.(value, output)
      if (passed instanceof Promise) waiting = wait(passed, done)
      else if (done) output.close()
    }

    async function wait(passed: Promise<unknown>, isLast: boolean): Promise<void> {
      try {
        await passed
        if (isLast) output.close()
      } catch (error) {
        await fail(error)
      }
      waiting = undefined
    }

    async function fail(error: unknown): Promise<void> {
      output.error(error)
      await input.cancel(error)
    }

    return new ReadableStream<Out>(
      {
        start(controller) {
          output = controller
          return transformer.start?.(controller)
        },
        cancel: (reason) => input.cancel(reason),
      },
      () => {
        if (waiting) return waiting
        const step = input.ready()
        if (!step) return input.advance()
        try {
          pass(step)
        } catch (error) {
          waiting = fail(error)
        }
        return waiting
      },
    )
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
