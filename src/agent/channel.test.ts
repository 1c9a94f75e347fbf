import { describe, expect, it } from 'vitest'
import { createChannel } from './channel.ts'

describe('a channel', () => {
  it('delivers each item once and in order, whether a reader waits for it or not', async () => {
    const channel = createChannel<number>()
    const got: number[] = []
    channel.put(1)
    channel.put(2)
    const reading = (async () => {
      for await (const item of channel) got.push(item)
    })()
    // Every item was read: the reader waits.
    await new Promise(setImmediate)
    expect(got).toEqual([1, 2])
    channel.put(3)
    channel.put(4)
    channel.put(5)
    channel.end()
    await reading
    expect(got).toEqual([1, 2, 3, 4, 5])
  })

  it('ends for a waiting reader and for readers that come later', async () => {
    const channel = createChannel<number>()
    const steps = channel[Symbol.asyncIterator]()
    const waiting = steps.next()
    channel.end()
    expect(await waiting).toEqual({ done: true, value: undefined })
    expect(await steps.next()).toEqual({ done: true, value: undefined })
  })
})
