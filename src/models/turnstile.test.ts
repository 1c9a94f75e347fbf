import { describe, expect, it } from 'vitest'
import { createTurnstile } from './turnstile.ts'

describe('the turnstile for answers', () => {
  /** Rounds of an event loop that turns when told to. */
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
    const turnstile = createTurnstile(nextRound)
    const done: string[] = []
    const come = (who: object, what: string, then = () => {}) =>
      turnstile(who, () => {
        done.push(what)
        then()
      })
    return { come, done, turn, nextRound }
  }

  it('lets in at once whoever comes alone', () => {
    const { come, done } = scene()
    come({}, 'a')
    expect(done).toEqual(['a'])
  })

  it('lets the next one in when the request that follows from the first is out', () => {
    const { come, done, turn, nextRound } = scene()
    const [a, b, c] = [{}, {}, {}]
    come(a, 'a', () => nextRound(() => done.push('request of a')))
    come(b, 'b', () => nextRound(() => done.push('request of b')))
    come(c, 'c')
    for (let i = 0; i < 6; i++) turn()
    expect(done).toEqual(['a', 'request of a', 'b', 'request of b', 'c'])
  })

  it('keeps the pieces of an answer in their order, whether they waited or not', () => {
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

  it('is free again for whoever comes later', () => {
    const { come, done, turn } = scene()
    come({}, 'a')
    turn()
    turn()
    come({}, 'b')
    expect(done).toEqual(['a', 'b'])
  })
})
