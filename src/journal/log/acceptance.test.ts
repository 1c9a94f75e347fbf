import { describe, expect, it } from 'vitest'
import { type Chain, createChain } from './acceptance.ts'

describe('the acceptance rule', () => {
  it('accepts a decision only if it names the last accepted one', () => {
    const chain = createChain()
    expect(chain.judge({ id: 'a', after: '' })).toBe('accepted')
    expect(chain.judge({ id: 'b', after: '' })).toBe('refused')
    expect(chain.judge({ id: 'fact' })).toBe('accepted')
    expect(chain.judge({ id: 'b', after: 'a' })).toBe('accepted')
    expect(chain.judge({ id: 'c', after: 'a' })).toBe('refused')
    expect(chain.judge({ id: 'd', after: 'c' })).toBe('refused')
    expect(chain.last).toBe('b')
  })

  it('reports a broken log when a decision names one that was never in it', () => {
    const chain = createChain()
    chain.judge({ id: 'a', after: '' })
    expect(chain.judge({ id: 'c', after: 'b' })).toBe('broken')
    expect(chain.last).toBe('a')
  })

  it('accepts no decision that follows a lost one', () => {
    const chain = createChain()
    chain.judge({ id: 'a', after: '' })
    chain.lose()
    expect(chain.judge({ id: 'loser', after: 'a' })).toBe('refused')
    expect(chain.judge({ id: 'again', after: '' })).toBe('refused')
    expect(chain.judge({ id: 'fact' })).toBe('accepted')
    expect(chain.judge({ id: 'next', after: 'lost' })).toBe('broken')
  })

  it('remembers at least 100,000 records, then forgets the same ones in every reader', () => {
    const chain = createChain()
    chain.judge({ id: 'made', after: '' })
    facts(chain, 0, 150_000)
    const restored = createChain(JSON.parse(JSON.stringify(chain.keep())))
    for (const each of [chain, restored]) {
      facts(each, 150_000, 99_998)
      expect(each.complete).toBe(false)
      expect(each.last).toBe('made')
      expect(each.judge({ id: 'fact149999' })).toBe('repeated')
      expect(each.judge({ id: 'fact5' })).toBe('accepted')
      expect(each.judge({ id: 'decision', after: 'fact7' })).toBe('refused')
      expect(each.judge({ id: 'decision', after: 'made' })).toBe('accepted')
    }
    expect(restored.keep()).toEqual(chain.keep())
  })
})

function facts(chain: Chain, from: number, count: number): void {
  for (let i = from; i < from + count; i++) chain.judge({ id: `fact${i}` })
}
