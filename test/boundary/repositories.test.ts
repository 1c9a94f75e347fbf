import { execFileSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { watchRepositories } from '../../src/permissions/sandbox/git/repositories.ts'

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-repositories-')))
})
afterEach(() => rmSync(root, { recursive: true }))

it.for(['sha1', 'sha256'])('finds a submodule in node_modules by an index with %s names', (format) => {
  const env = { PATH: process.env.PATH, HOME: root, GIT_CONFIG_NOSYSTEM: '1' }
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: root, env, stdio: 'ignore' })
  const inner = join(root, 'node_modules', 'x')
  git('init', '-q', `--object-format=${format}`)
  git('init', '-q', `--object-format=${format}`, inner)
  writeFileSync(join(inner, 'a'), 'a')
  git('-C', inner, 'add', 'a')
  git('-C', inner, 'commit', '-qm', 'first')
  git('add', '-f', 'node_modules/x')
  const found = watchRepositories([root]).now()
  expect(found.map(({ path }) => path)).toContain(join(inner, '.git'))
}) // T7
