import { describe, expect, it } from 'vitest'
import { aOrAn, counted } from './wording.ts'

describe('wording', () => {
  it('uses the singular for one thing, and the plural for several or none', () => {
    expect([0, 1, 2].map((count) => counted(count, 'task'))).toEqual(['0 tasks', '1 task', '2 tasks'])
    expect(counted(1, 'line is', 'lines are')).toBe('1 line is')
  })

  it('puts the article before a noun that its first sound needs', () => {
    expect(['result', 'error', 'idle_notification'].map(aOrAn)).toEqual([
      'A result',
      'An error',
      'An idle_notification',
    ])
  })
})
