import { expect, it } from 'vitest'
import { sideBySide } from './file-conflicts.ts'

const layer = (files: Record<string, string[]>) =>
  sideBySide(Object.entries(files).map(([id, f]) => ({ id, files: f })))

it('lets tasks with different files run side by side, and names the first that must wait', () => {
  const { together, conflicts } = layer({ T1: ['src/a.ts'], T2: ['src/b.ts'], T3: ['./src//A.ts', 'x'] })
  expect(together).toEqual(['T1', 'T2'])
  expect(conflicts).toEqual([{ task: 'T3', with: 'T1', path: 'src/A.ts' }])
}) // C43, C48

it('counts a folder and a file in it as a conflict, whichever comes first', () => {
  expect(layer({ T1: ['src/api/'], T2: ['src/api/a.ts'] }).conflicts[0]).toMatchObject({ task: 'T2', with: 'T1' })
  expect(layer({ T1: ['src/api/a.ts'], T2: ['src/api'] }).conflicts[0]).toMatchObject({ task: 'T2', with: 'T1' })
  expect(layer({ T1: ['src/api'], T2: ['src/api2'] }).conflicts).toEqual([])
})

it('counts wildcards that may meet as a conflict', () => {
  expect(layer({ T1: ['src/*.ts'], T2: ['src/a.ts'] }).conflicts).toHaveLength(1)
  expect(layer({ T1: ['docs/a.md'], T2: ['docs/**'] }).conflicts).toHaveLength(1)
  expect(layer({ T1: ['src/*.ts'], T2: ['docs/*.ts'] }).conflicts).toEqual([])
})

it('reserves nothing for a task that waits itself', () => {
  const { together } = layer({ T1: ['a'], T2: ['a', 'b'], T3: ['b'] })
  expect(together).toEqual(['T1', 'T3'])
})
