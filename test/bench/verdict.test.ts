import { describe, expect, it } from 'vitest'
import { failuresIn, judge, summarise } from '../../bench/verdict.mjs'

describe('the verdict of a benchmark row', () => {
  it('takes the median of the ratios within each round, with its spread', () => {
    const rounds = [
      { ours: 11, limit: 10 },
      { ours: 30, limit: 20 },
      { ours: 12, limit: 10 },
    ]
    expect(summarise({ unit: 'ms', statistic: 'median' }, rounds)).toEqual({
      ours: 12,
      limit: 10,
      figure: 1.2,
      spread: [1.1, 1.5],
    })
  })

  it('compares the best round of each side where noise only adds time', () => {
    const rounds = [
      { ours: 11, limit: 20 },
      { ours: 30, limit: 10 },
    ]
    expect(summarise({ unit: 'ms' }, rounds).figure).toBe(1.1)
    expect(summarise({ unit: 'per second' }, rounds).figure).toBe(1.5)
  })

  it('judges a count by itself, and a goal of zero is met by zero only', () => {
    const row = { unit: 'requests', atMost: 0 }
    expect(judge(row, summarise(row, [{ ours: 0 }]).figure)).toEqual({ goal: '≤ 0', verdict: 'met' })
    expect(judge(row, summarise(row, [{ ours: 1 }]).figure)).toEqual({ goal: '≤ 0', verdict: 'missed' })
  })

  it('does not pass a figure that is not a number, with or without a goal', () => {
    for (const row of [{ atMost: 1 }, { atLeast: 0 }, {}])
      for (const figure of [Number.NaN, Number.POSITIVE_INFINITY, undefined])
        expect(failuresIn([{ id: 'row', ...judge(row, figure) }])).toHaveLength(1)
  })

  it('does not pass a row with a round that lacks a number, although its other rounds have theirs', () => {
    const none = null as unknown as number
    const good = { ours: 10, limit: 20 }
    for (const round of [
      { ours: none, limit: 20 },
      { ours: 10, limit: none },
      { ours: Number.NaN, limit: 20 },
      { ours: 10 },
    ])
      for (const statistic of ['best', 'median'] as const)
        for (const row of [
          { unit: 'per second', statistic, atLeast: 0.1 },
          { unit: 'ms', statistic, atMost: 9 },
        ])
          expect(judge(row, summarise(row, [good, round, good]).figure).verdict).toContain('not measured')
  })

  it('names the goal of a row that was not measured too', () => {
    expect([{ atMost: 1 }, { atLeast: 2 }, {}].map((row) => judge(row, Number.NaN).goal)).toEqual([
      '≤ 1',
      '≥ 2',
      'for information',
    ])
  })

  it('fails on a missed goal and on a row that was not measured, and on nothing else', () => {
    const results = [
      { id: 'a', verdict: 'met' },
      { id: 'b', verdict: 'measured' },
      { id: 'c', verdict: 'missed' },
      { id: 'd', verdict: 'not measured: AI SDK is not installed' },
    ]
    expect(failuresIn(results).map(({ id }) => id)).toEqual(['c', 'd'])
  })
})
