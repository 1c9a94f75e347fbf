import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Git } from '../../permissions/sandbox/run-git.ts'
import { type CommitHarness, commitHarness, hastyClock } from '../../testing/harnesses/commit-harness.ts'
import { commitFiles } from './commit-files.ts'
import { readUserGit } from './user-git.ts'

let harness: CommitHarness
beforeEach(async ({ skip }) => {
  harness = commitHarness()
  if (!(await harness.hasSandbox())) skip('bubblewrap does not work here')
})
afterEach(() => harness.close())

const git = (...args: string[]) => harness.git(...args)
const put = (path: string, text: string) => harness.put(path, text)
const commit: CommitHarness['commit'] = (...args) => harness.commit(...args)
/** Paths and kinds of change of the last commit. */
const shown = () => git('show', '--no-renames', '--name-status', '--format=', 'HEAD').split('\n').sort()
const leftovers = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('deskmates'))

describe('a commit of the runtime in a repository elsewhere', () => {
  it('is made on the branch of a worktree, and touches neither branch nor index of the main one', async () => {
    harness.repository('a.ts', 'b.ts')
    const main = harness.root
    git('worktree', 'add', '-q', '-b', 'side', join(harness.place, 'side'))
    put('b.ts', 'staged in the main one')
    git('add', 'b.ts')
    harness.root = join(harness.place, 'side')
    put('a.ts', 'new')
    put('b.ts', 'staged here')
    git('add', 'b.ts')
    put('new.ts', 'new')
    expect(await commit(['a.ts', 'new.ts'])).toMatchObject({ kind: 'committed', files: ['a.ts', 'new.ts'] })
    expect([shown(), git('log', '-1', '--format=%s', 'side'), git('rev-list', '--count', 'main')]).toEqual([
      ['A\tnew.ts', 'M\ta.ts'],
      '03-01/T1: Write it',
      '1',
    ])
    expect(harness.status()).toBe('M  b.ts')
    expect(harness.gitIn(main, 'status', '--porcelain')).toBe('M  b.ts')
    expect(leftovers(join(main, '.git/worktrees/side'))).toEqual([])
  }) // C78

  it.each(['apps/shop', 'a b/ü'])('is made in a workspace below the top of it, in %s', async (folder) => {
    harness.repository('top.ts', `${folder}/a.ts`, `${folder}/gone.ts`, 'other/b.ts')
    const top = harness.root
    put('.gitignore', '*.log\n')
    put('top.ts', 'of the user')
    put('other/b.ts', 'staged by the user')
    git('add', 'other/b.ts')
    harness.root = join(top, folder)
    put('a.ts', 'new')
    put('deep/new.ts', 'new')
    put('deep/x.log', 'ignored by the top')
    put('mine.ts', 'not meant')
    rmSync(join(harness.root, 'gone.ts'))
    const made = await commit(['a.ts', 'deep', 'gone.ts'])
    expect(made).toMatchObject({ kind: 'committed', leftInIndex: [] })
    expect('files' in made && [...made.files].sort()).toEqual(['a.ts', 'deep/new.ts', 'gone.ts'])
    expect(git('-c', 'core.quotePath=false', 'show', '--name-status', '--format=', 'HEAD').split('\n').sort()).toEqual([
      `A\t${folder}/deep/new.ts`,
      `D\t${folder}/gone.ts`,
      `M\t${folder}/a.ts`,
    ])
    expect(harness.gitIn(top, '-c', 'core.quotePath=false', 'status', '--porcelain', '-uall').split('\n')).toEqual([
      'M  other/b.ts',
      ' M top.ts',
      '?? .gitignore',
      `?? ${folder.includes(' ') ? `"${folder}/mine.ts"` : `${folder}/mine.ts`}`,
    ])
    expect(leftovers(join(top, '.git'))).toEqual([])
  }) // C78

  it('is made below the top of a worktree, and in a home folder that is shown empty', async () => {
    harness.root = join(harness.place, 'home/project')
    mkdirSync(harness.root)
    harness.repository('sub/a.ts')
    git('worktree', 'add', '-q', '-b', 'side', join(harness.place, 'home/side'))
    for (const top of ['project', 'side']) {
      harness.root = join(harness.place, 'home', top, 'sub')
      put('a.ts', `new in ${top}`)
      expect(await commit(['a.ts'])).toMatchObject({ kind: 'committed', files: ['a.ts'] })
      expect([shown(), harness.status()]).toEqual([['M\tsub/a.ts'], ''])
    }
    expect(git('rev-list', '--count', '--all')).toBe('3')
  }) // C78

  it('is made in the work tree of a submodule, and leaves the repository around it alone', async () => {
    const inner = join(harness.place, 'inner')
    mkdirSync(inner)
    harness.gitIn(inner, 'init', '-q')
    writeFileSync(join(inner, 'a.ts'), 'a')
    harness.gitIn(inner, 'add', '-A')
    harness.gitIn(inner, 'commit', '-qm', 'inner')
    harness.repository('top.ts')
    git('submodule', '--quiet', 'add', '../inner', 'sub')
    git('commit', '-qm', 'submodule')
    const top = harness.root
    harness.root = join(top, 'sub')
    put('a.ts', 'new')
    expect(await commit(['a.ts'])).toMatchObject({ kind: 'committed', files: ['a.ts'] })
    expect([shown(), harness.status()]).toEqual([['M\ta.ts'], ''])
    expect(harness.gitIn(top, 'rev-list', '--count', 'HEAD')).toBe('2')
    expect(harness.gitIn(top, 'diff', '--cached', '--name-only')).toBe('')
  }) // C78

  it('is not made where a `.git` file leads to a repository that does not know this folder', async () => {
    const victim = join(harness.place, 'victim')
    mkdirSync(victim)
    harness.gitIn(victim, 'init', '-q')
    harness.gitIn(victim, 'commit', '-qm', 'x', '--allow-empty')
    const before = harness.gitIn(victim, 'rev-parse', 'HEAD')
    const forgeries = {
      file: () => put('.git', `gitdir: ${victim}/.git\n`),
      link: () => symlinkSync(join(victim, '.git'), join(harness.root, '.git')),
      // A folder of git that names another work tree is none of this one either.
      submodule: () => {
        harness.gitIn(victim, 'config', 'core.worktree', '..')
        put('.git', `gitdir: ${victim}/.git\n`)
      },
    }
    for (const [name, forge] of Object.entries(forgeries)) {
      // Each in a folder of its own: what is around the workspace is looked up once.
      harness.root = join(harness.place, name)
      put('a.ts', 'new')
      forge()
      expect(await commit(['a.ts']), name).toMatchObject({ kind: 'impossible' })
    }
    expect(harness.gitIn(victim, 'rev-parse', 'HEAD')).toBe(before)
    expect(harness.gitIn(victim, 'count-objects')).toMatch(/^2 objects/)
  }) // C78
})

describe('a commit of the runtime in the middle of something', () => {
  function conflict(...how: string[]): void {
    harness.repository('a.ts', 'b.ts')
    git('checkout', '-q', '-b', 'other')
    put('a.ts', 'other')
    git('commit', '-qam', 'other')
    git('checkout', '-q', 'main')
    put('a.ts', 'main')
    git('commit', '-qam', 'main')
    expect(() => git(...how)).toThrow()
  }

  it.each([
    ['a merge', ['merge', 'other'], 'git merge --abort'],
    ['a rebase', ['rebase', 'other'], 'git rebase --continue'],
    ['a cherry-pick', ['cherry-pick', 'other'], 'git cherry-pick --continue'],
    ['a rebase', ['rebase', '--apply', 'other'], 'git rebase --continue'],
  ])('is refused during %s (%j), with the way out of it, and changes nothing', async (what, how, next) => {
    conflict(...how)
    put('b.ts', 'new')
    const before = [git('rev-parse', 'HEAD'), harness.status()]
    expect(await commit(['b.ts'])).toEqual({
      kind: 'impossible',
      why: `${what} is in progress in the repository`,
      next: expect.stringContaining(next),
    })
    expect([git('rev-parse', 'HEAD'), harness.status()]).toEqual(before)
  }) // C78

  it('is refused during a revert, a bisection and between two picks, also in a worktree', async () => {
    harness.repository('a.ts')
    git('worktree', 'add', '-q', '-b', 'side', join(harness.place, 'side'))
    harness.root = join(harness.place, 'side')
    put('a.ts', 'new')
    const folder = git('rev-parse', '--absolute-git-dir')
    expect(folder).toContain('worktrees/side')
    for (const name of ['REVERT_HEAD', 'BISECT_LOG', 'sequencer']) {
      writeFileSync(join(folder, name), '')
      expect(await commit(['a.ts'])).toMatchObject({ kind: 'impossible', why: expect.stringContaining('in progress') })
      rmSync(join(folder, name))
    }
    expect(await commit(['a.ts'])).toMatchObject({ kind: 'committed' })
  }) // C78
})

describe('a commit of the runtime', () => {
  it('holds files whatever they are called', async () => {
    const names = [
      ...[
        'with space.ts',
        ' lead',
        'trail ',
        '-rf',
        '--all',
        'qu"ote',
        "it's",
        'back\\slash',
        'new\nline',
        'tab\there',
      ],
      ...[
        '*.ts',
        ':(top)x',
        '!not',
        '#hash',
        '?',
        '[a]',
        '$HOME',
        '`id`',
        '日本語',
        'é',
        '\x1b[31mred',
        '.hidden',
        '@{u}',
      ],
    ]
    harness.repository(...names.slice(0, 5), 'keep.ts')
    for (const name of names) put(name, 'new')
    const made = await commit(names)
    expect('files' in made && [...made.files].sort()).toEqual([...names].sort())
    expect(git('show', '-z', '--name-only', '--format=', 'HEAD').split('\0').filter(Boolean).sort()).toEqual(
      [...names].sort(),
    )
    for (const name of names.slice(0, 8)) rmSync(join(harness.root, name))
    expect(await commit(names)).toMatchObject({ kind: 'committed' })
    expect(git('ls-tree', '-z', '--name-only', 'HEAD').split('\0').filter(Boolean).sort()).toEqual(
      [...names.slice(8), 'keep.ts'].sort(),
    )
    expect(harness.status()).toBe('')
  }) // C78

  it('runs no hook, whatever the repository says where hooks are, and needs neither name nor signature', async () => {
    harness.repository('a.ts')
    const ran = join(harness.root, 'ran')
    const program = (path: string) => {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, `#!/bin/sh\necho $0 >> ${ran}\n`, { mode: 0o755 })
    }
    for (const folder of ['.git/hooks', '.husky', 'hooks'])
      for (const hook of ['pre-commit', 'commit-msg', 'post-commit', 'reference-transaction', 'post-index-change'])
        program(join(harness.root, folder, hook))
    program(join(harness.root, 'sign'))
    for (const hooks of ['.husky', join(harness.root, 'hooks'), '']) {
      const settings = { 'commit.gpgsign': 'true', 'gpg.program': 'sign', 'user.useConfigOnly': 'true' }
      for (const [key, value] of Object.entries(settings)) git('config', key, value)
      if (hooks === '') git('config', '--unset', 'core.hooksPath')
      else git('config', 'core.hooksPath', hooks)
      put('a.ts', `new with ${hooks}`)
      expect(await commit(['a.ts'])).toMatchObject({ kind: 'committed' })
    }
    expect(existsSync(ran)).toBe(false)
    expect(git('log', '-1', '--format=%an <%ae> %G?')).toBe('deskmates <deskmates@localhost> N')
    expect((await readUserGit(await harness.openGit(), harness.env())).signs).toBe(true)
  }) // C78

  it('is kept beside one of another process that commits at the same time, in every order', async () => {
    harness.repository('a.ts', 'b.ts')
    vi.resetModules()
    const other: typeof import('./commit-files.ts') = await import('./commit-files.ts')
    expect(other.commitFiles).not.toBe(commitFiles)
    const found = await harness.openGit()
    const user = await readUserGit(found, harness.env())
    for (let i = 1; i <= 3; i++) {
      put('a.ts', `a ${i}`)
      put('b.ts', `b ${i}`)
      const request = (file: string) => ({ isMeant: (path: string) => path === file, message: `${file} ${i}`, user })
      const both = await Promise.all([
        commitFiles(found, request('a.ts'), hastyClock()),
        other.commitFiles(found, request('b.ts'), hastyClock()),
      ])
      expect(both.map(({ kind }) => kind)).toEqual(['committed', 'committed'])
      expect(git('log', '-2', '--format=%s').split('\n').sort()).toEqual([`a.ts ${i}`, `b.ts ${i}`])
      expect(harness.status()).toBe('')
    }
  }) // C78

  it('is tried again when git could not write, and says what git said when that stays so', async () => {
    harness.repository('a.ts')
    put('a.ts', 'new')
    const found = await harness.openGit()
    const user = await readUserGit(found, harness.env())
    let failures = 0
    const full: Git = {
      ...found,
      async script(text, args, options) {
        if (!text.includes('write-tree')) return found.script(text, args, options)
        failures++
        const end = await found.script('echo "error: unable to write file: No space left on device" >&2; exit 1', [])
        return failures > 2 && isFreed ? found.script(text, args, options) : end
      },
    }
    let isFreed = false
    const request = { isMeant: () => true, message: '03-01/T1: Write it', user }
    const clock = hastyClock()
    expect(await commitFiles(full, request, clock)).toEqual({
      ...{ kind: 'failed', why: 'git failed: error: unable to write file: No space left on device' },
    })
    expect([failures, clock.waits, git('rev-list', '--count', 'HEAD'), harness.status()]).toEqual([
      6,
      [0.2, 0.4, 0.8, 1.6, 3.2],
      '1',
      ' M a.ts',
    ])
    expect(leftovers(join(harness.root, '.git'))).toEqual([])
    ;[isFreed, failures] = [true, 0]
    expect(await commitFiles(full, request, hastyClock())).toMatchObject({ kind: 'committed' })
  }) // C78

  it('removes what a killed process left in the middle of one, and nothing of a running one', async () => {
    harness.repository('a.ts')
    put('a.ts', 'new')
    const [old, fresh] = ['0'.repeat(36), '1'.repeat(36)].map((id) => join(harness.root, `.git/deskmates-${id}.index`))
    for (const path of [old!, `${old}.lock`, fresh!]) writeFileSync(path, '')
    const hourAgo = Date.now() / 1000 - 3600
    for (const path of [old!, `${old}.lock`]) utimesSync(path, hourAgo, hourAgo)
    expect(await commit(['a.ts'])).toMatchObject({ kind: 'committed' })
    expect(leftovers(join(harness.root, '.git'))).toEqual([basename(fresh!)])
  }) // C78

  it('leaves the index of the user as it was when it cannot be made', async () => {
    harness.repository('a.ts', 'b.ts')
    put('b.ts', 'staged')
    git('add', 'b.ts')
    put('a.ts', 'new')
    const before = git('ls-files', '--stage')
    writeFileSync(join(harness.root, '.git/refs/heads/main.lock'), '')
    expect(await commit(['a.ts'], hastyClock())).toMatchObject({ kind: 'locked' })
    expect(git('ls-files', '--stage')).toBe(before)
    rmSync(join(harness.root, '.git/refs/heads/main.lock'))
    execFileSync('chmod', ['-R', 'a-w', join(harness.root, '.git/objects')])
    if (process.getuid?.() !== 0) expect(await commit(['a.ts'], hastyClock())).toMatchObject({ kind: 'impossible' })
    execFileSync('chmod', ['-R', 'u+w', join(harness.root, '.git/objects')])
    expect(git('diff', '--cached', '--name-only')).toBe('b.ts')
  }) // C78
})
