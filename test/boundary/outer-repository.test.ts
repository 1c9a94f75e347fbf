import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { findOuterRepository } from '../../src/permissions/sandbox/git/outer-repository.ts'
import { type OpenedSandbox, openSandbox } from '../../src/permissions/sandbox/open-sandbox.ts'
import type { SandboxedStart } from '../../src/permissions/sandbox/sandbox.ts'
import { type CommitHarness, commitHarness } from '../../src/testing/harnesses/commit-harness.ts'

let harness: CommitHarness
let opened: OpenedSandbox
let top: string
beforeEach(async ({ skip }) => {
  harness = commitHarness()
  harness.repository('sub/a.ts')
  top = harness.root
  harness.root = join(top, 'sub')
  const rules = { hasFileRules: false, forbids: () => false, mayUseNetwork: () => false }
  const { root } = harness
  opened = await openSandbox({ mode: 'auto', root, folders: [], env: harness.env(), hidden: [], rules })
  if (opened.state !== 'on') skip('bubblewrap does not work here')
})
afterEach(() => {
  vi.restoreAllMocks()
  opened[Symbol.dispose]()
  harness.close()
})

/** Whether a line of a shell succeeds in there. */
function succeeds({ prefix, env, release }: SandboxedStart, line: string): boolean {
  const [file = '', ...rest] = [...prefix, 'sh', '-c', line]
  try {
    execFileSync(file, rest, { env: { PATH: process.env.PATH, ...env }, cwd: harness.root, stdio: 'ignore' })
    return true
  } catch {
    return false
  } finally {
    release()
  }
}

describe('the repository around a workspace', () => {
  it('is out of reach of commands of agents and of programs of ours other than git', () => {
    const before = harness.gitIn(top, 'rev-parse', 'HEAD')
    const attacks = [
      'git commit --allow-empty -m x',
      ...['../.git/HEAD', '../.git/index', '../.git/config', '../.git/objects/x', '../.git/hooks/post-commit'].map(
        (path) => `echo x > ${path}`,
      ),
      'git -C .. update-ref HEAD HEAD~1',
      'rm -r ../.git/refs',
    ]
    for (const line of attacks) {
      expect(succeeds(opened.sandbox!.forCommand(line), line), line).toBe(false)
      expect(succeeds(opened.sandbox!.forOwnProgram({ canWrite: true }), line), line).toBe(false)
    }
    expect(harness.gitIn(top, 'rev-parse', 'HEAD')).toBe(before)
    expect(harness.gitIn(top, 'status', '--porcelain')).toBe('')
  }) // T3, T7

  it('has configuration and hooks that git of ours cannot change either, and nothing around it is opened', () => {
    const config = readFileSync(join(top, '.git/config'), 'utf8')
    const own = () => opened.sandbox!.forOwnProgram({ canWrite: true, isGit: true })
    for (const path of ['../.git/config', '../.git/hooks/post-commit', '../.git/info/exclude'])
      expect(succeeds(own(), `echo x > ${path}`), path).toBe(false)
    succeeds(own(), 'echo x > ../new; mkdir ../more')
    expect([existsSync(join(top, 'new')), existsSync(join(top, 'more'))]).toEqual([false, false])
    expect(succeeds(own(), 'echo x > ../.git/deskmates-test')).toBe(true)
    expect(readFileSync(join(top, '.git/config'), 'utf8')).toBe(config)
    expect(succeeds(opened.sandbox!.forOwnProgram({ isGit: true }), 'echo x > ../.git/other')).toBe(false)
    expect(existsSync(join(top, '.git/hooks/post-commit'))).toBe(false)
  }) // T3, T7

  it('is the one of this user: git believes no repository that another user made above the folder', () => {
    expect(findOuterRepository(harness.root, [harness.root])?.env.GIT_DIR).toBe(join(top, '.git'))
    vi.spyOn(process, 'getuid').mockReturnValue((process.getuid?.() ?? 0) + 1)
    expect(findOuterRepository(harness.root, [harness.root])).toBeUndefined()
  }) // T7

  it('is not replaced by one that a command makes in the workspace', async () => {
    mkdirSync(join(harness.root, '.git'))
    for (const [name, text] of Object.entries({ HEAD: 'ref: refs/heads/main\n', config: '[core]\n\tbare = false\n' }))
      writeFileSync(join(harness.root, '.git', name), text)
    expect(opened.sandbox!.forOwnProgram({ isGit: true }).env).toMatchObject({ GIT_DIR: join(top, '.git') })
  }) // T7
})
