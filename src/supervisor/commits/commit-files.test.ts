import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Git } from '../../permissions/sandbox/run-git.ts'
import { type CommitHarness, commitHarness, hastyClock } from '../../testing/harnesses/commit-harness.ts'
import { commitFiles } from './commit-files.ts'
import { readUserGit } from './user-git.ts'

let harness: CommitHarness
let place: string
let root: string
beforeEach(async ({ skip }) => {
  harness = commitHarness()
  ;({ place, root } = harness)
  if (!(await harness.hasSandbox())) skip('bubblewrap does not work here')
})
afterEach(() => harness.close())

const env = () => harness.env()
const gitIn = (folder: string, ...args: string[]) => harness.gitIn(folder, ...args)
const git = (...args: string[]) => harness.git(...args)
const put = (path: string, text: string) => harness.put(path, text)
const status = () => harness.status()
const repository = (...files: string[]) => harness.repository(...files)
const commit: CommitHarness['commit'] = (...args) => harness.commit(...args)

describe('a commit of the runtime', () => {
  it('holds the meant files only, and leaves everything that the user staged or changed as it was', async () => {
    repository('src/a.ts', 'src/b.ts', 'notes.md', 'staged.md')
    put('src/a.ts', 'new a')
    put('src/new.ts', 'new')
    put('src/b.ts', 'of the user')
    put('staged.md', 'staged by the user')
    git('add', 'staged.md')
    put('staged.md', 'and changed after that')
    const before = git('ls-files', '--stage', 'staged.md', 'notes.md', 'src/b.ts')
    const made = await commit(['src/a.ts', 'src/new.ts'])
    expect(made).toMatchObject({ kind: 'committed', files: ['src/a.ts', 'src/new.ts'], leftInIndex: [] })
    expect(made).toMatchObject({ short: git('rev-parse', '--short=10', 'HEAD') })
    expect(git('show', '--name-status', '--format=%s', 'HEAD')).toBe('03-01/T1: Write it\n\nM\tsrc/a.ts\nA\tsrc/new.ts')
    expect(git('ls-files', '--stage', 'staged.md', 'notes.md', 'src/b.ts')).toBe(before)
    expect(status()).toBe(' M src/b.ts\nMM staged.md')
    expect(git('diff', '--cached', '--name-only')).toBe('staged.md')
    expect(readdirSync(join(root, '.git')).filter((name) => name.startsWith('deskmates'))).toEqual([])
  }) // C78

  it('holds deleted, renamed and executable files and links as they are', async () => {
    repository('src/gone.ts', 'src/old.ts', 'src/run.sh', 'src/dir/inner.ts')
    rmSync(join(root, 'src/gone.ts'))
    git('mv', 'src/old.ts', 'src/renamed.ts')
    chmodSync(join(root, 'src/run.sh'), 0o755)
    symlinkSync('/etc/passwd', join(root, 'src/link'))
    // A folder becomes a link: what was in it is gone, and nothing behind the link is read.
    rmSync(join(root, 'src/dir'), { recursive: true })
    symlinkSync(place, join(root, 'src/dir'))
    expect(await commit(['src'])).toMatchObject({ kind: 'committed', leftInIndex: [] })
    expect(git('show', '--no-renames', '--name-status', '--format=', 'HEAD').split('\n').sort()).toEqual(
      [
        'D\tsrc/gone.ts',
        'D\tsrc/old.ts',
        'A\tsrc/renamed.ts',
        'M\tsrc/run.sh',
        'A\tsrc/link',
        'D\tsrc/dir/inner.ts',
        'A\tsrc/dir',
      ].sort(),
    )
    expect(git('cat-file', 'blob', 'HEAD:src/link')).toBe('/etc/passwd')
    expect(git('ls-tree', 'HEAD', 'src/run.sh')).toMatch(/^100755/)
    expect(status()).toBe('')
  }) // C78

  it('leaves what the user staged of a meant file, and says so', async () => {
    repository('src/a.ts')
    put('src/a.ts', 'staged by the user')
    git('add', 'src/a.ts')
    put('src/a.ts', 'written by the agent')
    expect(await commit(['src/a.ts'])).toMatchObject({ kind: 'committed', leftInIndex: ['src/a.ts'] })
    expect(git('show', ':src/a.ts')).toBe('staged by the user')
    expect(git('show', 'HEAD:src/a.ts')).toBe('written by the agent')
  }) // C78

  it('leaves out ignored files, submodules and nested repositories', async () => {
    repository('.gitignore')
    put('.gitignore', 'build\n')
    mkdirSync(join(place, 'other'))
    gitIn(join(place, 'other'), 'init', '-q')
    gitIn(join(place, 'other'), 'commit', '-qm', 'x', '--allow-empty')
    git('submodule', '--quiet', 'add', '../other', 'src/sub')
    git('add', '-A')
    git('commit', '-qm', 'submodule')
    put('src/build/out.js', 'built')
    put('src/.a.ts.swp', 'of an editor')
    put('src/sub/inner.ts', 'inside of the submodule')
    mkdirSync(join(root, 'src/nested'))
    gitIn(join(root, 'src/nested'), 'init', '-q')
    put('src/nested/file.ts', 'of another repository')
    expect(await commit(['src'])).toEqual({ kind: 'nothing', filtered: [] })
    put('src/a.ts', 'a')
    expect(await commit(['src'])).toMatchObject({ files: ['src/a.ts'] })
  }) // C78

  it('works before the first commit and on no branch', async () => {
    git('init', '-q')
    put('a.ts', 'a')
    put('user.ts', 'staged')
    git('add', 'user.ts')
    expect(await commit(['a.ts'])).toMatchObject({ kind: 'committed' })
    expect(git('log', '--format=%s %an', 'main')).toBe('03-01/T1: Write it deskmates')
    expect(status()).toBe('A  user.ts')
    git('checkout', '-q', '--detach')
    put('a.ts', 'again')
    expect(await commit(['a.ts'])).toMatchObject({ kind: 'committed' })
    expect(git('rev-list', '--count', 'HEAD')).toBe('2')
    expect(git('rev-list', '--count', 'main')).toBe('1')
  }) // C78

  it('names the user of the repository as author', async () => {
    repository('a.ts')
    git('config', 'user.name', 'Grace')
    git('config', 'user.email', 'grace@example.org')
    put('a.ts', 'new')
    await commit(['a.ts'])
    expect(git('log', '-1', '--format=%an <%ae> %cn')).toBe('Grace <grace@example.org> Grace')
  })

  it('runs no hook, filter, monitor or signing program, and leaves filtered files to the user', async () => {
    repository('a.ts', 'big.bin')
    const ran = join(root, 'ran')
    const program = join(root, 'program')
    writeFileSync(program, `#!/bin/sh\necho $0 >> ${ran}\ncat\n`, { mode: 0o755 })
    for (const hook of ['reference-transaction', 'pre-commit', 'post-commit', 'post-index-change'])
      writeFileSync(join(root, '.git/hooks', hook), `#!/bin/sh\necho ${hook} >> ${ran}\n`, { mode: 0o755 })
    const settings = { 'filter.x.clean': program, 'filter.x.process': program, 'core.fsmonitor': program }
    for (const [key, value] of Object.entries({ ...settings, 'commit.gpgsign': 'true', 'gpg.program': program }))
      git('config', key, value)
    put('.gitattributes', '*.bin filter=x\n')
    put('a.ts', 'new')
    put('big.bin', 'new')
    const made = await commit(['a.ts', 'big.bin'])
    expect(made).toMatchObject({ kind: 'committed', files: ['a.ts'], filtered: ['big.bin'] })
    expect(existsSync(ran)).toBe(false)
  }) // C78

  it('keeps both of two commits that are made at once', async () => {
    repository('a.ts', 'b.ts', 'c.ts')
    put('a.ts', 'new')
    put('b.ts', 'new')
    const both = await Promise.all([commit(['a.ts']), commit(['b.ts'])])
    expect(both.map(({ kind }) => kind)).toEqual(['committed', 'committed'])
    expect(git('rev-list', '--count', 'HEAD')).toBe('3')
    expect(status()).toBe('')
  }) // C78

  it('keeps a commit that another process makes in the meantime', async () => {
    repository('a.ts', 'b.ts')
    put('a.ts', 'new')
    put('b.ts', 'of the user')
    const found = await harness.openGit()
    let isFirst = true
    const raced: Git = {
      ...found,
      async run(args, options) {
        if (args[0] === 'update-ref' && isFirst) git('commit', '-qm', 'of the user', 'b.ts')
        if (args[0] === 'update-ref') isFirst = false
        return found.run(args, options)
      },
    }
    const user = await readUserGit(found, env())
    const request = { isMeant: (path: string) => path === 'a.ts', message: '03-01/T1: Write it', user }
    expect(await commitFiles(raced, request, hastyClock())).toMatchObject({ kind: 'committed', files: ['a.ts'] })
    expect(git('log', '--format=%s')).toBe('03-01/T1: Write it\nof the user\nfirst')
    expect([git('show', 'HEAD:b.ts'), status()]).toEqual(['of the user', ''])
  }) // C78

  it('tries again while another process holds the repository, and gives up after 5 pauses', async () => {
    repository('a.ts')
    put('a.ts', 'new')
    const lock = join(root, '.git/index.lock')
    writeFileSync(lock, '')
    const stuck = hastyClock()
    expect(await commit(['a.ts'], stuck)).toMatchObject({ kind: 'locked', why: expect.stringContaining('index.lock') })
    expect(stuck.waits).toEqual([0.2, 0.4, 0.8, 1.6, 3.2])
    rmSync(lock)
    expect([git('rev-list', '--count', 'HEAD'), status()]).toEqual(['1', ' M a.ts'])
    writeFileSync(join(root, '.git/refs/heads/main.lock'), '')
    const patient = hastyClock(() => rmSync(join(root, '.git/refs/heads/main.lock'), { force: true }))
    expect(await commit(['a.ts'], patient)).toMatchObject({ kind: 'committed' })
    expect([patient.waits, status()]).toEqual([[0.2], ''])
  }) // C78

  it('is not made outside of a repository', async () => {
    put('a.ts', 'a')
    expect(await commit(['a.ts'])).toMatchObject({ kind: 'impossible', why: expect.stringContaining('not in a git') })
  }) // C78
})
