import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

it('has no unused file, export or dependency', () => {
  const knip = join(root, 'node_modules', 'knip', 'bin', 'knip.js')
  const { stdout, stderr } = spawnSync(process.execPath, [knip, '--no-progress'], { cwd: root, encoding: 'utf8' })
  expect(`${stdout}${stderr}`.trim()).toBe('')
})
