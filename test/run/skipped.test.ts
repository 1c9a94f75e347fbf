import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const project = fileURLToPath(new URL('../../', import.meta.url))
const OTHERWISE = [
  // These start a server before their tests, for nothing if they are left out one by one; they print a line themselves.
  'src/stores/postgres/connection/tls.test.ts',
  // Reads such words.
  'test/coverage/test-names.test.ts',
  'test/postgres/pooler.test.ts',
]

it('a test that a machine cannot run says why: skip(condition, reason), never skipIf or runIf', () => {
  const files = ['src', 'test'].flatMap((folder) =>
    readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => join(folder, file).split(sep).join('/')),
  )
  const wordless = files.filter((file) =>
    /^\s*(it|test|describe)\.(skipIf|runIf)\(/m.test(readFileSync(join(project, file), 'utf8')),
  )
  expect(wordless.sort()).toEqual(OTHERWISE)
})
