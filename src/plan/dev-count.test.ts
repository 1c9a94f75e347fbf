import { expect, it } from 'vitest'
import { devCount } from './dev-count.ts'

it('starts one developer per ready task, at most five', () => {
  expect([0, 1, 5, 7, 10, 100, 1e20].map((ready) => devCount(ready))).toEqual([0, 1, 5, 5, 5, 5, 5])
}) // C48

it('leaves room for developers that already work', () => {
  expect(devCount(7, { busy: 3 })).toBe(2)
  expect(devCount(7, { busy: 9 })).toBe(0)
  expect(devCount(7, { busy: 1, cap: 3 })).toBe(2)
}) // F51
