import { describe, expect, it } from 'vitest'
import { aOrAn, counted } from './wording.ts'

describe('what is said to people', () => {
  it('has one of a thing, and more of several or none', () => {
    expect([0, 1, 2].map((count) => counted(count, 'task'))).toEqual(['0 tasks', '1 task', '2 tasks'])
    expect(counted(1, 'line is', 'lines are')).toBe('1 line is')
  })

  it('begins with the article that goes with the next sound', () => {
    expect(['result', 'error', 'idle_notification'].map(aOrAn)).toEqual([
      'A result',
      'An error',
      'An idle_notification',
    ])
  })
})
