import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { testsIn } from './test-names.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const LAST_TRIAL = 54

it('has a test for every defect that the trials found, named in a comment behind the test', () => {
  const files = ['src', 'test'].flatMap((folder) =>
    readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => `${folder}/${name}`),
  )
  const named = new Set(
    files.flatMap((file) => testsIn(file, readFileSync(root + file, 'utf8'))).flatMap((test) => test.numbers.flat()),
  )
  const all = Array.from({ length: LAST_TRIAL }, (_, index) => `T${index + 1}`)
  expect(all.filter((trial) => !named.has(trial))).toEqual([])
})
