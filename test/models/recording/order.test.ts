import { describe, expect, it } from 'vitest'
import type { AlarmClock } from '../../../src/journal/clock.ts'
import { recordOrder } from '../../../src/models/recording/record-order.ts'
import { replayOrder } from '../../../src/models/recording/replay-order.ts'

const rounds = async (count: number) => {
  for (let i = 0; i < count; i++) await new Promise(setImmediate)
}

/** Rings when a test says so. */
function handClock() {
  const alarms = new Set<() => void>()
  const clock: AlarmClock = {
    now: () => 0,
    in(_, ring) {
      alarms.add(ring)
      return () => void alarms.delete(ring)
    },
  }
  const ring = () => {
    for (const one of [...alarms]) one()
  }
  return { clock, ring }
}

describe('the order of a recorded run', () => {
  it('runs one step at a time, together with the synchronous use of its result', async () => {
    const begun: string[] = []
    const done: string[] = []
    const order = recordOrder((name) => begun.push(name))
    const step = async (name: string, length: number) => {
      await order.step(name, () => rounds(length))
      done.push(`${name} of ${begun.length}`)
    }
    await Promise.all([step('a', 5), step('b', 0), step('c', 2)])
    expect(begun).toEqual(['a', 'b', 'c'])
    expect(done).toEqual(['a of 1', 'b of 2', 'c of 3'])
  }) // T24

  it('treats steps inside a step as part of it', async () => {
    const begun: string[] = []
    const order = recordOrder((name) => begun.push(name))
    expect(await order.step('outer', () => order.step('inner', () => 7))).toBe(7)
    await order.step('next', () => {})
    expect(begun).toEqual(['outer', 'next'])
    const replayed = replayOrder(['outer', 'next'], handClock().clock)
    expect(await replayed.step('outer', () => replayed.step('inner', () => 7))).toBe(7)
    await replayed.step('next', () => {})
    expect(replayed.released).toBeUndefined()
  }) // T24

  it('continues after a step that failed', async () => {
    const order = recordOrder(() => {})
    const failed = order.step('a', () => Promise.reject(new Error('no')))
    await expect(failed).rejects.toThrow('no')
    expect(await order.step('b', () => 2)).toBe(2)
  }) // T24

  it('records the start and the end of a span as steps, with other steps in between', async () => {
    const begun: string[] = []
    const order = recordOrder((name) => begun.push(name))
    await order.span('call', () => order.step('write', () => {}))
    expect(begun).toEqual(['call begins', 'write', 'call ends'])
  }) // T24
})

describe('the order of a replayed run', () => {
  it('runs steps in the recorded order, whatever the order in which they are requested', async () => {
    const order = replayOrder(['a', 'b', 'c', 'a'], handClock().clock)
    const ran: string[] = []
    const step = (name: string) => order.step(name, () => rounds(2).then(() => ran.push(name)))
    await Promise.all([step('c'), step('a'), step('a'), step('b')])
    expect(ran).toEqual(['a', 'b', 'c', 'a'])
    expect(order.released).toBeUndefined()
  }) // T24

  it('is released by a step that was not recorded', async () => {
    const order = replayOrder(['a', 'b'], handClock().clock)
    const b = order.step('b', () => 'b')
    expect(order.waiting).toBe(1)
    expect(await order.step('x', () => 'x')).toBe('x')
    expect(await b).toBe('b')
    expect(order.released).toBe('the recording has no further step "x"')
  }) // T24

  it('is released when the next step is not requested for too long', async () => {
    const { clock, ring } = handClock()
    const order = replayOrder(['a', 'b'], clock)
    const b = order.step('b', () => 'b')
    ring()
    expect(await b).toBe('b')
    expect(order.released).toBe('the next recorded step "a" did not happen')
  }) // T24

  it('is released for a call that waits for an interruption that does not happen', async () => {
    const { clock, ring } = handClock()
    const order = replayOrder(['a', 'the run stops'], clock)
    await order.step('a', () => {})
    await rounds(2)
    const waiting = order.interrupted(new AbortController().signal)
    ring()
    await waiting
    expect(order.released).toBe('the next recorded step "the run stops" did not happen')
  }) // T24

  it('does not delay answers outside a session', async () => {
    const order = replayOrder(['lead answers', 'ada answers'], handClock().clock)
    await order.answer('ada')
    expect(order.released).toBe('there is no session')
  }) // T24
})
