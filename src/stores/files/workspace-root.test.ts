import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findRoot, NotAFolder } from './workspace-root.ts'

let top: string
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-root-')))
})
afterEach(() => rmSync(top, { recursive: true, force: true }))

/** `a/b/` makes a folder, `a/b` an empty file, `a/b = text` a file with that text. */
function tree(...entries: string[]): void {
  for (const entry of entries) {
    const [path = '', ...content] = entry.split(' = ')
    mkdirSync(join(top, path.endsWith('/') ? path : dirname(path)), { recursive: true })
    if (!path.endsWith('/')) writeFileSync(join(top, path), `${content.join(' = ')}\n`)
  }
}

const REPO = ['home/repo/.git/HEAD = ref: refs/heads/main', 'home/repo/src/api/']
const LINKED = ['home/repo/.git/worktrees/x/commondir = ../..', 'home/repo/.git/worktrees/x/HEAD = ref: refs/heads/x']

describe('the workspace root', () => {
  const cases: { name: string; entries: string[]; cwd: string; root: string }[] = [
    {
      name: 'is the current folder outside git',
      entries: ['home/notes/a/'],
      cwd: 'home/notes/a',
      root: 'home/notes/a',
    },
    {
      name: 'is the nearest ancestor with .teams outside git',
      entries: ['home/notes/.teams/', 'home/notes/a/b/'],
      cwd: 'home/notes/a/b',
      root: 'home/notes',
    },
    {
      name: 'is not home because home happens to have .teams',
      entries: ['home/.teams/', 'home/notes/'],
      cwd: 'home/notes',
      root: 'home/notes',
    },
    { name: 'is not above home either', entries: ['.teams/', 'home/notes/'], cwd: 'home/notes', root: 'home/notes' },
    { name: 'is home when home is the current folder', entries: ['home/.teams/'], cwd: 'home', root: 'home' },
    {
      name: 'is above home when that is the current folder',
      entries: ['.teams/', 'home/'],
      cwd: '',
      root: '',
    },
    {
      name: 'may be a folder beside home',
      entries: ['srv/.teams/', 'srv/a/', 'home/'],
      cwd: 'srv/a',
      root: 'srv',
    },
    { name: 'is the git top level', entries: REPO, cwd: 'home/repo/src/api', root: 'home/repo' },
    {
      name: 'is a folder with .teams inside the work tree',
      entries: [...REPO, 'home/repo/src/.teams/', 'home/repo/.teams/'],
      cwd: 'home/repo/src/api',
      root: 'home/repo/src',
    },
    {
      name: 'is no higher than the top level of the work tree',
      entries: [...REPO, 'home/.teams/', '.teams/'],
      cwd: 'home/repo/src',
      root: 'home/repo',
    },
    {
      name: 'is home when home is a git work tree',
      entries: ['home/.git/HEAD = ref: refs/heads/main', 'home/notes/'],
      cwd: 'home/notes',
      root: 'home',
    },
    {
      name: 'takes no file for .teams',
      entries: [...REPO, 'home/repo/src/.teams'],
      cwd: 'home/repo/src',
      root: 'home/repo',
    },
    {
      name: 'takes no empty .git for a repository',
      entries: ['home/notes/.git/', 'home/notes/a/'],
      cwd: 'home/notes/a',
      root: 'home/notes/a',
    },
    {
      name: 'of a linked work tree elsewhere is the top of the main one',
      entries: [...REPO, ...LINKED, 'far/x/.git = gitdir: ../../home/repo/.git/worktrees/x', 'far/x/src/'],
      cwd: 'far/x/src',
      root: 'home/repo',
    },
    {
      name: 'of a linked work tree is not the copy of .teams that was checked out there',
      entries: [...REPO, ...LINKED, 'far/x/.git = gitdir: ../../home/repo/.git/worktrees/x', 'far/x/.teams/'],
      cwd: 'far/x',
      root: 'home/repo',
    },
    {
      name: 'of a linked work tree inside the main one is the nearest folder with .teams around it',
      entries: [
        ...REPO,
        ...LINKED,
        'home/repo/src/.teams/',
        'home/repo/src/trees/x/.git = gitdir: ../../../.git/worktrees/x',
      ],
      cwd: 'home/repo/src/trees/x',
      root: 'home/repo/src',
    },
    {
      name: 'of a work tree of a bare repository with a .git file beside it is the folder of both',
      entries: [
        'p/.bare/HEAD',
        'p/.git = gitdir: ./.bare',
        'p/.bare/worktrees/x/commondir = ../..',
        'p/x/.git = gitdir: ../.bare/worktrees/x',
      ],
      cwd: 'p/x',
      root: 'p',
    },
    {
      name: 'of a work tree of a plain bare repository is that work tree',
      entries: [
        'p/r.git/HEAD',
        'p/r.git/worktrees/x/commondir = ../..',
        'p/x/.git = gitdir: ../r.git/worktrees/x',
        'p/.teams/',
      ],
      cwd: 'p/x',
      root: 'p/x',
    },
    {
      name: 'of a submodule is the submodule',
      entries: [
        ...REPO,
        'home/repo/.git/modules/sub/HEAD',
        'home/repo/sub/.git = gitdir: ../.git/modules/sub',
        'home/repo/.teams/',
      ],
      cwd: 'home/repo/sub',
      root: 'home/repo/sub',
    },
    {
      name: 'of a linked work tree of a submodule is the submodule',
      entries: [
        ...REPO,
        'home/repo/.git/modules/sub/config = [core]\n\tworktree = ../../../sub',
        'home/repo/.git/modules/sub/worktrees/x/commondir = ../..',
        'home/repo/sub/.git = gitdir: ../.git/modules/sub',
        'far/x/.git = gitdir: ../../home/repo/.git/modules/sub/worktrees/x',
      ],
      cwd: 'far/x',
      root: 'home/repo/sub',
    },
    {
      name: 'stops at a .git file full of garbage',
      entries: [...REPO, 'home/repo/sub/.git = \u0000gitdir', 'home/repo/sub/a/'],
      cwd: 'home/repo/sub/a',
      root: 'home/repo/sub',
    },
    { name: 'stops at an empty .git file', entries: ['home/.git', 'home/a/'], cwd: 'home/a', root: 'home' },
    {
      name: 'stops at a .git file that points nowhere',
      entries: ['home/a/.git = gitdir: /gone/.git/worktrees/a'],
      cwd: 'home/a',
      root: 'home/a',
    },
    {
      name: 'stops at a .git file that points to itself',
      entries: ['home/a/.git = gitdir: .git'],
      cwd: 'home/a',
      root: 'home/a',
    },
    {
      name: 'survives a commondir that points nowhere',
      entries: ['w/commondir = ../gone/.git', 'home/a/.git = gitdir: ../../w'],
      cwd: 'home/a',
      root: 'home/a',
    },
  ]
  it.each(cases)('$name', ({ entries, cwd, root }) => {
    tree(...entries)
    expect(findRoot(join(top, cwd), {}, join(top, 'home'))).toMatchObject({
      root: join(top, root),
      workspace: join(top, root),
    })
  })

  it('is a real path when the current folder and the home folder are links', () => {
    tree('real/home/.teams/', 'real/home/notes/')
    symlinkSync(join(top, 'real'), join(top, 'link'))
    expect(findRoot(join(top, 'link/home/notes'), {}, join(top, 'link/home')).root).toBe(join(top, 'real/home/notes'))
  })

  it('is found without a home folder', () => {
    tree('a/.teams/', 'a/b/')
    expect(findRoot(join(top, 'a/b'), {}, '').root).toBe(join(top, 'a'))
  })

  it('is not found from a deleted folder', () => {
    expect(() => findRoot(join(top, 'gone'), {}, top)).toThrow(NotAFolder)
  })

  it('is shared by every work tree that git itself links', ({ skip }) => {
    skip(spawnSync('git', ['--version']).status !== 0, 'git is not on PATH')
    tree('repo/', 'far/', 'home/')
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
        cwd: join(top, 'repo'),
        env: { PATH: process.env.PATH, HOME: join(top, 'home'), GIT_CONFIG_GLOBAL: '/dev/null' },
        stdio: 'pipe',
      })
    git('init', '-q')
    git('commit', '-q', '--allow-empty', '-m', 'start')
    git('worktree', 'add', '-q', '-b', 'near', 'trees/near')
    git('worktree', 'add', '-q', '-b', 'far', join(top, 'far/tree'))
    for (const cwd of ['repo', 'repo/trees/near', 'far/tree']) {
      expect(findRoot(join(top, cwd), {}, join(top, 'home')).root).toBe(join(top, 'repo'))
    }
  })
})

describe('DESKMATES_DIR', () => {
  it('replaces the folder of the teams, not the workspace', () => {
    tree(...REPO, 'elsewhere/')
    expect(findRoot(join(top, 'home/repo/src'), { DESKMATES_DIR: '../../../elsewhere' }, join(top, 'home'))).toEqual({
      root: join(top, 'elsewhere'),
      workspace: join(top, 'home/repo'),
      how: 'named by DESKMATES_DIR',
    })
  })

  it('may name a folder that does not exist yet, by its real path', () => {
    tree('real/', 'home/')
    symlinkSync(join(top, 'real'), join(top, 'link'))
    expect(findRoot(top, { DESKMATES_DIR: 'link/a/b' }, join(top, 'home')).root).toBe(join(top, 'real/a/b'))
  })

  it.each(['file', 'file/below', 'dangling'])('is refused with its path when it is %s', (dir) => {
    tree('file', 'home/')
    symlinkSync(join(top, 'gone'), join(top, 'dangling'))
    expect(() => findRoot(top, { DESKMATES_DIR: dir }, join(top, 'home'))).toThrow(/^DESKMATES_DIR .*is not a folder/)
  })

  it('counts as unset when empty', () => {
    tree('home/')
    expect(findRoot(top, { DESKMATES_DIR: '' }, join(top, 'home')).root).toBe(top)
  })
})
