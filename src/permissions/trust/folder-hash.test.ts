import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { folderHash, TooMuchToTrust } from './folder-hash.ts'

let top: string
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'deskmates-hash-'))
  put('repo/.claude/skills/deploy/SKILL.md', 'how to deploy')
  put('repo/agents/ada.md', 'you are Ada')
})
afterEach(() => rmSync(top, { recursive: true, force: true }))

function put(path: string, content: string): void {
  mkdirSync(dirname(join(top, path)), { recursive: true })
  writeFileSync(join(top, path), content)
}

const hash = () => folderHash(join(top, 'repo'))

describe('the hash of a folder', () => {
  it.each([
    '.deskmates/settings.json',
    '.deskmates/checks/deep/down.sh',
    'deskmates.yaml',
    '.claude/settings.json',
    '.claude/settings.local.json',
    '.deskmates/commands/review.md',
    '.claude/agents/bob.md',
    '.claude/commands/review.md',
    '.claude/skills/deploy/run.sh',
    '.claude/hooks/pre.sh',
    'agents/bob.md',
    'skills/new/SKILL.md',
    'hooks/stop.sh',
  ])('changes when %s comes, changes or goes', (path) => {
    const before = hash()
    put(`repo/${path}`, 'one')
    const one = hash()
    put(`repo/${path}`, 'two')
    expect(new Set([before, one, hash()]).size).toBe(3)
    rmSync(join(top, 'repo', path))
    expect(hash()).toBe(before)
  })

  it.each(['src/main.ts', 'README.md', '.claude/notes.md', '.claude/projects/x.json', '.teams/web/journal.jsonl'])(
    'does not change with %s',
    (path) => {
      const before = hash()
      put(`repo/${path}`, 'one')
      expect(hash()).toBe(before)
    },
  )

  it('changes when a file is renamed, or moves its last bytes into the next one', () => {
    put('repo/agents/bob.md', 'tail')
    const before = hash()
    renameSync(join(top, 'repo/agents/bob.md'), join(top, 'repo/agents/bop.md'))
    expect(hash()).not.toBe(before)
    const renamed = hash()
    put('repo/agents/ada.md', 'you are ')
    put('repo/agents/bop.md', 'Adatail')
    expect(hash()).not.toBe(renamed)
  })

  it('stays the same when the folder moves', () => {
    const before = hash()
    renameSync(join(top, 'repo'), join(top, 'moved'))
    expect(folderHash(join(top, 'moved'))).toBe(before)
  })

  it('covers the target of a link', () => {
    put('outside/hook.sh', 'one')
    symlinkSync(join(top, 'outside'), join(top, 'repo/hooks'))
    const before = hash()
    put('outside/hook.sh', 'two')
    expect(hash()).not.toBe(before)
  })

  it('is computed in spite of loops, pipes, dangling links and endless files', () => {
    symlinkSync('..', join(top, 'repo/agents/loop'))
    symlinkSync('gone', join(top, 'repo/agents/dangling'))
    symlinkSync('/dev/zero', join(top, 'repo/agents/endless'))
    execFileSync('mkfifo', [join(top, 'repo/agents/pipe')])
    expect(hash()).toBe(hash())
  })

  it('is refused with the path when it would cover half a disk', () => {
    put('repo/skills/huge.bin', '')
    execFileSync('truncate', ['-s', '1G', join(top, 'repo/skills/huge.bin')])
    expect(hash).toThrow(TooMuchToTrust)
  })

  it('exists for an empty and for a missing folder', () => {
    expect(folderHash(join(top, 'gone'))).toBe(folderHash(join(top, 'nowhere')))
  })
})
