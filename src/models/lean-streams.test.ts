import { describe, expect, it } from 'vitest'
import * as lean from './lean-streams.ts'

// What provider packages rely on, tried on Node's streams too: where both do the same, one can stand for the other.
const native = { ReadableStream, TransformStream, TextDecoderStream } as unknown as typeof lean

describe.each([
  ['lean streams', lean],
  ["node's streams", native],
])('%s', (_name, streams) => {
  const from = <T>(...values: T[]) =>
    new streams.ReadableStream<T>({
      pull(controller) {
        const value = values.shift()
        if (value === undefined) controller.close()
        else controller.enqueue(value)
      },
    })

  async function drain<T>(stream: lean.ReadableStream<T>): Promise<T[]> {
    const reader = stream.getReader()
    const all: T[] = []
    for (let step = await reader.read(); !step.done; step = await reader.read()) all.push(step.value)
    return all
  }

  it('give what their source gives when asked, then end', async () => {
    expect(await drain(from(1, 2, 3))).toEqual([1, 2, 3])
  })

  it('give what their source says by itself, at the start or later', async () => {
    const stream = new streams.ReadableStream<number>({
      start(controller) {
        controller.enqueue(1)
        setImmediate(() => controller.enqueue(2))
        setImmediate(() => controller.close())
      },
    })
    expect(await drain(stream)).toEqual([1, 2])
  })

  it('give what came before an error of a source that was asked, then the error, again and again', async () => {
    let isAsked = false
    const stream = new streams.ReadableStream<number>({
      async pull(controller) {
        if (isAsked) throw new Error('broken')
        isAsked = true
        controller.enqueue(1)
      },
    })
    const reader = stream.getReader()
    expect(await reader.read()).toEqual({ done: false, value: 1 })
    await expect(reader.read()).rejects.toThrow('broken')
    await expect(reader.read()).rejects.toThrow('broken')
  })

  it('turn one value into none or many, from the first to the flush, with one controller', async () => {
    let held: { enqueue(value: string): void }
    const stream = from('a', 'b', 'c').pipeThrough(
      new streams.TransformStream<string, string>({
        start(controller) {
          held = controller
          controller.enqueue('start')
        },
        transform(value) {
          if (value !== 'b') for (const copy of [1, 2]) held.enqueue(`${value}${copy}`)
        },
        flush: (controller) => controller.enqueue('end'),
      }),
    )
    expect(await drain(stream)).toEqual(['start', 'a1', 'a2', 'c1', 'c2', 'end'])
  })

  it('hand on each value before they ask for the next', async () => {
    const asked: number[] = []
    const source = new streams.ReadableStream<number>({
      async pull(controller) {
        asked.push(asked.length)
        // The second never comes: whoever waits for it would never see the first.
        if (asked.length === 1) controller.enqueue(1)
        else await new Promise(() => {})
      },
    })
    const double = new streams.TransformStream<number, number>({
      transform: async (value, controller) => controller.enqueue(value * 2),
    })
    expect(await source.pipeThrough(double).getReader().read()).toEqual({ done: false, value: 2 })
  })

  it('end in the error of a transformation, and stop the source', async () => {
    let isStopped = false
    const source = new streams.ReadableStream<number>({
      pull: (controller) => controller.enqueue(1),
      cancel() {
        isStopped = true
      },
    })
    const bad = new streams.TransformStream<number, number>({
      transform() {
        throw new Error('cannot')
      },
    })
    await expect(source.pipeThrough(bad).getReader().read()).rejects.toThrow('cannot')
    await new Promise((resolve) => setImmediate(resolve))
    expect(isStopped).toBe(true)
  })

  it('are read twice after a tee, and the source stops when neither wants more', async () => {
    const [one, two] = from(1, 2, 3).tee()
    expect(await Promise.all([drain(one), drain(two)])).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ])
    let isStopped = false
    const endless = new streams.ReadableStream<number>({
      pull: (controller) => controller.enqueue(1),
      cancel() {
        isStopped = true
      },
    })
    const [left, right] = endless.tee()
    const reader = left.getReader()
    expect(await reader.read()).toEqual({ done: false, value: 1 })
    const gone = reader.cancel()
    expect(isStopped).toBe(false)
    await Promise.all([gone, right.cancel()])
    expect(isStopped).toBe(true)
  })

  it('give the rest to one branch when the other was cancelled', async () => {
    const [one, two] = from(1, 2, 3).tee()
    const reader = one.getReader()
    await reader.read()
    void reader.cancel()
    expect(await drain(two)).toEqual([1, 2, 3])
  })

  it('decode signs that are cut in the middle', async () => {
    const bytes = new TextEncoder().encode('a⚙b')
    const stream = from(bytes.slice(0, 2), bytes.slice(2, 3), bytes.slice(3))
    expect((await drain(stream.pipeThrough(new streams.TextDecoderStream()))).join('')).toBe('a⚙b')
  })
})
