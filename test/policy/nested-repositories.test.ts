import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { parseRule } from '../../src/permissions/rules/parse-rule.ts'
import { decideByRules, type Policy } from '../../src/permissions/rules/policy.ts'
import { commandEnv } from '../../src/session/command-env.ts'

let dir: string
let root: string
let policy: Policy
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-nested-')))
  root = join(dir, 'work')
  mkdirSync(root)
  git(root, 'init', '-q', '.')
  writeFileSync(join(root, 'file.txt'), 'x\n')
  git(root, 'add', 'file.txt')
  git(root, 'commit', '-qm', 'first')
  policy = { mode: 'default', root, allow: [parseRule('bash(git *)')], ask: [], deny: [] }
})

const env = () => ({ PATH: process.env.PATH ?? '', HOME: dir })

function git(cwd: string, ...args: string[]): string {
  const options = ['-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'protocol.file.allow=always']
  return execFileSync('git', [...options, ...args], { cwd, env: env(), encoding: 'utf8', stdio: 'pipe' }).trim()
}

/** A repository as an archive brings it: its own settings name a program, and a file in it has to be compared. */
function unpack(name: string): string {
  const place = join(root, name)
  mkdirSync(place, { recursive: true })
  git(place, 'init', '-q', '.')
  writeFileSync(join(place, 'inner.txt'), 'x\n')
  git(place, 'add', 'inner.txt')
  git(place, 'commit', '-qm', 'inner')
  for (const [key, value] of [
    ['core.fsmonitor', `touch ${canary()}`],
    ['filter.x.clean', `touch ${canary()}; cat`],
  ])
    git(place, 'config', key!, value!)
  mkdirSync(join(place, '.git/info'), { recursive: true })
  writeFileSync(join(place, '.git/info/attributes'), '* filter=x\n')
  utimesSync(join(place, 'inner.txt'), 1, 1)
  return place
}

/** The clone holds it as a submodule and asks git to look into it. */
function link(name: string): void {
  const commit = git(join(root, name), 'rev-parse', 'HEAD')
  writeFileSync(join(root, '.gitmodules'), `[submodule "x"]\n\tpath = ${name}\n\turl = ./x\n\tignore = none\n`)
  git(root, 'update-index', '--add', '--cacheinfo', `160000,${commit},${name}`)
}

const canary = () => join(dir, 'RAN')

const decisionOf = (command: string) => decideByRules('bash', { kind: 'run', tool: 'bash', command }, policy)

/** Runs it as a command of an agent runs without a sandbox. */
function hasRun(command: string): boolean {
  rmSync(canary(), { force: true })
  try {
    execFileSync('bash', ['-c', command], { cwd: root, env: { ...env(), ...commandEnv(env(), []) }, stdio: 'ignore' })
  } catch {
    // Some fail on purpose.
  }
  return existsSync(canary())
}

const ENTERING = [
  'git status',
  'git add -u',
  'git add -A',
  'git diff',
  'git diff HEAD',
  'git stash push',
  'git checkout HEAD',
  'git commit --dry-run',
  'git rebase --autostash HEAD',
  'git rm nested',
]

describe('an allow rule for git', () => {
  it.for(ENTERING)('does not cover %s where the index holds a repository that came in as files', (command) => {
    unpack('nested')
    link('nested')
    expect(decisionOf(command)).toMatchObject({ decision: 'ask', why: expect.stringContaining(join(root, 'nested')) })
    if (/status|diff|add|checkout/.test(command)) expect(hasRun(command)).toBe(true)
  }) // T5

  it.for(['git log --oneline', 'git show HEAD', 'git branch', 'git rev-parse HEAD', 'git tag', 'git diff-tree HEAD'])(
    'still covers %s there, which runs nothing of the inner repository',
    (command) => {
      unpack('nested')
      link('nested')
      git(root, 'commit', '-qm', 'link')
      expect([decisionOf(command).decision, hasRun(command)]).toEqual(['allow', false])
    },
  ) // T5

  it('covers git where such a repository is not in the index, and no line that may add it and go in', () => {
    unpack('deep/er/nested')
    for (const command of ['git status', 'git add -A'])
      expect([command, decisionOf(command).decision, hasRun(command)]).toEqual([command, 'allow', false])
    git(root, 'rm', '-q', '--cached', '-f', 'deep/er/nested')
    for (const command of [
      'git add -A && git status',
      'git add -A && git commit -m x',
      'timeout 9 git add . ; git stash',
      "bash -c 'git add .' && bash -c 'git diff'",
      'git -C . checkout HEAD && git status',
      'for f in a b; do git status; git add -A; done',
    ])
      expect([command, decisionOf(command).decision]).toEqual([command, 'ask'])
  }) // T5

  it('covers git beside submodules that git made, and everyday lines that add and commit', () => {
    const elsewhere = join(dir, 'elsewhere')
    mkdirSync(elsewhere)
    git(elsewhere, 'init', '-q', '.')
    git(elsewhere, 'commit', '-qm', 'x', '--allow-empty')
    git(root, 'submodule', '--quiet', 'add', elsewhere, 'sub')
    for (const command of ['git status', 'git add -A && git commit -m x', 'git checkout -b y && git stash'])
      expect([command, decisionOf(command).decision]).toEqual([command, 'allow'])
  }) // T5

  it('does not take a folder beside the submodules of git for one of them', () => {
    unpack('nested')
    link('nested')
    mkdirSync(join(root, '.git/modules'), { recursive: true })
    execFileSync('mv', [join(root, 'nested/.git'), join(root, 'settings')])
    writeFileSync(join(root, 'nested/.git'), 'gitdir: ../.git/modules/../../settings\n')
    expect(decisionOf('git status').decision).toBe('ask')
    expect(hasRun('git status')).toBe(true)
  }) // T5

  it('does not cover git where the index is split, so that it cannot be read alone', () => {
    git(root, 'update-index', '--split-index')
    expect(decisionOf('git status').decision).toBe('ask')
  }) // T5
})
