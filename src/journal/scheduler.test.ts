import { describe, expect, it } from 'vitest'
import { createScheduler } from './scheduler.ts'

describe('the scheduler', () => {
  /** Rounds of an event loop that turns on request. */
  function rounds() {
    let next: (() => void)[] = []
    return {
      nextRound: (go: () => void) => next.push(go),
      turn() {
        const due = next
        next = []
        for (const go of due) go()
      },
    }
  }

  function scene() {
    const { nextRound, turn } = rounds()
    let now = 0
    const scheduler = createScheduler(nextRound, () => now)
    const done: string[] = []
    const come = (who: object, what: string, then = () => {}) =>
      scheduler.enqueue(who, () => {
        done.push(what)
        then()
      })
    const inQuiet = (what: string) => void scheduler.whenIdle().then(() => done.push(what))
    /** So many rounds, each with all that follows from it. */
    const turns = async (count: number) => {
      for (let i = 0; i < count; i++) {
        turn()
        await Promise.resolve()
      }
    }
    const pass = (milliseconds: number) => {
      now += milliseconds
    }
    return { come, inQuiet, done, turn, turns, pass, nextRound }
  }

  it('starts a single agent at once', () => {
    const { come, done } = scene()
    come({}, 'a')
    expect(done).toEqual(['a'])
  })

  it('starts the next agent when the first one has sent its request', () => {
    const { come, done, turn, nextRound } = scene()
    const [a, b, c] = [{}, {}, {}]
    come(a, 'a', () => nextRound(() => done.push('request of a')))
    come(b, 'b', () => nextRound(() => done.push('request of b')))
    come(c, 'c')
    for (let i = 0; i < 6; i++) turn()
    expect(done).toEqual(['a', 'request of a', 'b', 'request of b', 'c'])
  })

  it('keeps the pieces of an answer in order, whether they waited or not', () => {
    const { come, done, turn } = scene()
    const [a, b] = [{}, {}]
    come(a, 'a1')
    come(b, 'b1')
    come(a, 'a2')
    come(b, 'b2')
    expect(done).toEqual(['a1', 'a2'])
    turn()
    turn()
    come(b, 'b3')
    expect(done).toEqual(['a1', 'a2', 'b1', 'b2', 'b3'])
  })

  it('is free again for an agent that comes later', () => {
    const { come, done, turn } = scene()
    come({}, 'a')
    turn()
    turn()
    come({}, 'b')
    expect(done).toEqual(['a', 'b'])
  })

  it('delays bookkeeping until all answers are handled, then does one piece per round', async () => {
    const { come, inQuiet, done, turns } = scene()
    come({}, 'a')
    inQuiet('one')
    inQuiet('two')
    come({}, 'b')
    await turns(2)
    expect(done).toEqual(['a', 'b'])
    await turns(2)
    expect(done).toEqual(['a', 'b', 'one'])
    await turns(1)
    expect(done).toEqual(['a', 'b', 'one', 'two'])
  })

  it('handles an answer before the next piece of bookkeeping', async () => {
    const { come, inQuiet, done, turns } = scene()
    inQuiet('one')
    inQuiet('two')
    await turns(1)
    come({}, 'a')
    await turns(1)
    expect(done).toEqual(['one', 'a'])
    await turns(2)
    expect(done).toEqual(['one', 'a', 'two'])
  })

  it('does bookkeeping after a while when the event loop is never idle', async () => {
    const { come, inQuiet, done, turns, pass } = scene()
    inQuiet('one')
    for (let i = 0; i < 20; i++) {
      come({}, String(i))
      come({}, String(i))
      pass(2)
      await turns(2)
    }
    expect(done).toContain('one')
    expect(done.indexOf('one')).toBeGreaterThan(5)
  })

  it('does not let bookkeeping accumulate, however much each answer adds', async () => {
    const { come, inQuiet, done, turns, pass } = scene()
    for (let i = 0; i < 200; i++) {
      come({}, 'an answer', () => {
        for (let chore = 0; chore < 3; chore++) inQuiet(`chore of ${i}`)
      })
      come({}, 'another')
      pass(1)
      await turns(4)
    }
    expect(done).toContain('chore of 150')
  })

  it('uses no round of the event loop when nothing waits', async () => {
    const { inQuiet, done, turns, nextRound } = scene()
    inQuiet('one')
    await turns(1)
    expect(done).toEqual(['one'])
    expect(nextRound(() => {})).toBe(1)
  })
})
