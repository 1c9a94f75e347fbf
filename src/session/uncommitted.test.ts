import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { uncommittedIn } from './uncommitted.ts'

it('counts what is changed and not committed as git does, leaving out what the team itself keeps (C20)', async () => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-uncommitted-')))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: dir, stdio: 'ignore' })
  expect(await uncommittedIn(dir), 'nothing keeps count').toBeUndefined()
  git('init', '-q')
  for (const folder of ['src', '.teams', '.tasks']) mkdirSync(join(dir, folder))
  for (const file of ['a', 'src/b', 'src/c', '.teams/journal', '.tasks/1']) writeFileSync(join(dir, file), file)
  expect(await uncommittedIn(dir)).toBe(3)
  git('add', 'a', 'src')
  git('commit', '-qm', 'all')
  expect(await uncommittedIn(dir)).toBe(0)
  writeFileSync(join(dir, 'a'), 'changed')
  expect(await uncommittedIn(dir)).toBe(1)
})
