import { afterEach, beforeEach, describe } from 'vitest'
import { bugsOf } from './bugs.ts'

/**
 * Each promise of `file` is broken by one of the bugs in ./bugs.ts, every time. A run started by ./bites.test.ts tries
 * them under each bug in turn, and most of that run has to be red.
 */
export function underEachBug(file: string, promises: () => void): void {
  if (process.env.DESKMATES_BITE !== '1') return promises()
  for (const { name } of bugsOf(file)) {
    describe(name, () => {
      beforeEach(() => {
        process.env.DESKMATES_BUG = name
      })
      afterEach(() => {
        delete process.env.DESKMATES_BUG
      })
      promises()
    })
  }
}
