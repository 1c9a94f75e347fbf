import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ts from 'typescript'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHooks } from '../../src/permissions/hooks/hooks.ts'
import { type OpenedSandbox, type OpenSandboxOptions, openSandbox } from '../../src/permissions/sandbox/open-sandbox.ts'
import { toolHarness } from '../../src/testing/harnesses/tool-harness.ts'
import { runCall } from '../../src/tools/run-call.ts'
import { createBash } from '../../src/tools/shell/bash.ts'

let place: string
let root: string
let opened: OpenedSandbox
const rules = { hasFileRules: false, forbids: () => false, mayUseNetwork: () => false }
const env = () => ({ PATH: process.env.PATH ?? '', HOME: join(place, 'home') })
const open = (changes: Partial<OpenSandboxOptions> = {}) =>
  openSandbox({ mode: 'auto', root, folders: [], env: env(), hidden: [], rules, ...changes })

beforeEach(async ({ skip }) => {
  place = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-attacks-')))
  root = join(place, 'work')
  mkdirSync(join(place, 'home'), { recursive: true })
  mkdirSync(root)
  opened = await open()
  if (opened.state !== 'on') {
    rmSync(place, { recursive: true })
    skip('bubblewrap does not work here')
  }
})
afterEach(() => {
  opened[Symbol.dispose]()
  rmSync(place, { recursive: true, force: true })
})

async function bash(command: string, { sandbox } = opened, timeout = 20_000) {
  const world = toolHarness({ root, env: env(), sandbox })
  return runCall([createBash()], { name: 'bash', input: { command, timeout } }, world)
}

/** git as the user has it, with what it ran. */
function git(folder: string, ...args: string[]): string {
  const given = ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args]
  return execFileSync('git', given, { cwd: folder, encoding: 'utf8', env: env(), stdio: ['ignore', 'pipe', 'ignore'] })
}

function commit(folder: string): void {
  git(folder, 'init', '-q')
  writeFileSync(join(folder, 'file'), 'one')
  git(folder, 'add', 'file')
  git(folder, 'commit', '-qm', 'first')
}

/** A program that leaves a trace on the host, and a configuration that makes git run it. */
const pwned = () => join(place, 'pwned')
const evil = () =>
  `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = touch ${pwned()};\n[filter "x"]\n\tclean = touch ${pwned()}; cat\n`

/** What the user does next, in the root and in every folder of it. */
function userLooks(): void {
  for (const folder of [root, ...folders(root)])
    try {
      git(folder, 'status', '--porcelain')
    } catch {
      // No repository, or one that git refuses: nothing ran.
    }
}

function folders(top: string): string[] {
  const inner = readdirSync(top, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return inner
    .filter(({ name }) => name !== '.git')
    .flatMap(({ name }) => [join(top, name), ...folders(join(top, name))])
}

describe('a repository in the sandbox', () => {
  const put = (path: string) => `mkdir -p $(dirname ${path}) && printf '%s' "$EVIL" > ${path}`
  const attacks: Record<string, string> = {
    commondir: `mkdir -p evil; cp -r .git/objects .git/refs evil; ${put('evil/config')}; echo ../evil > .git/commondir`,
    'config.worktree': put('.git/config.worktree'),
    config: `${put('.git/config')}; ${put('x')}; mv x .git/config; rm -f .git/config; ${put('.git/config')}`,
    hooks: `for h in post-index-change pre-commit post-checkout; do printf '#!/bin/sh\\ntouch ${'PWNED'}\\n' > .git/hooks/$h; chmod +x .git/hooks/$h; done`,
    'info/attributes': `${put('.git/info/attributes')}; echo '* filter=x' > .git/info/attributes; ${put('.git/config')}`,
    modules: put('.git/modules/sub/config'),
    worktrees: `${put('.git/worktrees/w/config.worktree')}; echo ../../../evil > .git/worktrees/w/commondir`,
    'a moved .git': `mv .git old; mkdir .git; cp -r old/* .git; ${put('.git/config')}`,
    'a HEAD that is none': `cp -r .git/objects .git/refs .; cp .git/HEAD HEAD; ${put('config')}; printf '[core]\n\tworktree = .\n' >> config; echo x > .git/HEAD`,
    'a nested repository': `git init -q sub; ${put('sub/.git/config')}; echo '* filter=x' > sub/.gitattributes; echo a > sub/a; (cd sub && git -c core.fsmonitor= -c filter.x.clean= add a); git add sub`,
    'a nested submodule in node_modules': `git init -q node_modules/x; cd node_modules/x; echo a > a; git add a; git -c user.name=a -c user.email=b commit -qm a; ${put('.git/config')}; cd ../..; git add -f node_modules/x`,
    'a .git file': `mkdir -p real sub; cp -r .git/* real; ${put('real/config')}; echo 'gitdir: ../real' > sub/.git`,
    'a .git link': `mkdir -p real sub; cp -r .git/* real; ${put('real/config')}; ln -s ../real sub/.git`,
    'an embedded bare repository': `mkdir bare; cp -r .git/HEAD .git/objects .git/refs bare; ${put('bare/config')}; printf '[core]\n\tworktree = .\n' >> bare/config`,
  }

  it.for(Object.entries(attacks))('does not make the next git of the user run a program: %s', async ([, attack]) => {
    commit(root)
    const before = readFileSync(join(root, '.git/config'), 'utf8')
    await bash(
      `EVIL=${JSON.stringify(evil()).replaceAll('\\n', '\n').replaceAll('\\t', '\t')}\n${attack.replaceAll('PWNED', pwned())}`,
    )
    userLooks()
    expect(existsSync(pwned())).toBe(false)
    for (const name of ['commondir', 'config.worktree', 'modules', 'worktrees'])
      expect(existsSync(join(root, '.git', name)), name).toBe(false)
    expect(readFileSync(join(root, '.git/config'), 'utf8')).toBe(before)
    expect(git(root, 'log', '--format=%s')).toBe('first\n')
  }) // T7

  it('stays protected when a folder above it is moved, and in folders without a repository', async () => {
    mkdirSync(join(root, 'a/b'), { recursive: true })
    commit(join(root, 'a/b'))
    await bash(
      `printf '${evil().replaceAll('\n', '\\n')}' > a/b/.git/config; mv a c; mkdir -p a/b/.git; cp -r c/b/.git/* a/b/.git; printf '${evil().replaceAll('\n', '\\n')}' > a/b/.git/config`,
    )
    userLooks()
    expect(existsSync(pwned())).toBe(false)
    await bash(`git init -q .; printf '${evil().replaceAll('\n', '\\n')}' > .git/config`)
    userLooks()
    expect(existsSync(pwned())).toBe(false)
  }) // T7, T3

  it('ends a command that replaces configuration of git while it runs', async () => {
    commit(root)
    const { text, isError } = await bash('mkdir evil; echo ../evil > .git/commondir; sleep 15; echo still here')
    expect(isError).toBe(true)
    expect(text).not.toContain('still here')
    expect(text).toContain('.git/commondir was made and is now commondir.refused')
    expect(existsSync(join(root, '.git/commondir'))).toBe(false)
  }) // T7

  it('allows commits, branches, stashes, tags and new repositories', async () => {
    commit(root)
    const work = [
      'git config --get user.name || export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=b',
      'git switch -qc topic && echo two > file && git add file && git commit -qm second',
      'echo three > file && git stash -q && git stash pop -q && git checkout -q file',
      'git tag v1 && git switch -q - && git merge -q topic && git gc -q && git log --format=%s | head -1',
      'git init -q inner && cd inner && echo x > x && git add x && git commit -qm inner && git log --format=%s',
    ]
    const { text, isError } = await bash(work.join(' && '))
    expect({ text, isError }).toMatchObject({ text: expect.stringMatching(/second\ninner$/), isError: false })
    expect(git(root, 'log', '--format=%s')).toBe('second\nfirst\n')
    expect(git(join(root, 'inner'), 'log', '--format=%s')).toBe('inner\n')
  }) // T7

  it('protects what its configuration names in the workspace, and links that git follows', async () => {
    commit(root)
    mkdirSync(join(root, 'own-hooks'))
    writeFileSync(join(root, 'shared.gitconfig'), '[user]\n\tname = Ada\n')
    git(root, 'config', 'core.hooksPath', 'own-hooks')
    git(root, 'config', 'include.path', '../shared.gitconfig')
    rmSync(join(root, '.git/hooks'), { recursive: true, force: true })
    symlinkSync('../own-hooks', join(root, '.git/hooks'))
    await bash(
      `echo x > own-hooks/post-index-change; printf '${evil().replaceAll('\n', '\\n')}' > shared.gitconfig; rm .git/hooks; mkdir .git/hooks`,
    )
    expect(readdirSync(join(root, 'own-hooks'))).toEqual([])
    expect(readFileSync(join(root, 'shared.gitconfig'), 'utf8')).toContain('Ada')
    expect(lstatSync(join(root, '.git/hooks')).isSymbolicLink()).toBe(true)
  }) // T7
})

it('leaves nothing behind in the folder of the user, nor in its repository', async () => {
  git(root, 'init', '-q', '--template=')
  const before = [readdirSync(root), readdirSync(join(root, '.git')).sort()]
  expect((await bash('ls -a; mkdir .claude; echo x > .claude/settings.json')).isError).toBe(true)
  await Promise.all([bash('sleep 0.2'), bash('true'), bash('echo x > .git/hooks/x')])
  expect([readdirSync(root), readdirSync(join(root, '.git')).sort()]).toEqual(before)
}) // T28

it('keeps denied files denied when the folder above them is moved', async () => {
  mkdirSync(join(root, 'config/deep'), { recursive: true })
  writeFileSync(join(root, 'config/deep/prod.yaml'), 'TRUTH')
  const forbids = (kind: string, path: string) => kind === 'write' && path.endsWith('prod.yaml')
  using strict = await open({ rules: { ...rules, hasFileRules: true, forbids } })
  await bash('mv config c; mkdir -p config/deep; echo out > config/deep/prod.yaml; mv config/deep d', strict)
  expect(readFileSync(join(root, 'config/deep/prod.yaml'), 'utf8')).toBe('TRUTH')
}) // T13

it('reports no background processes when a command left none, two hundred times', async () => {
  const texts: string[] = []
  for (let i = 0; i < 50; i++)
    texts.push(...(await Promise.all([1, 2, 3, 4].map(() => bash('echo hi')))).map(({ text }) => text))
  expect(texts).toHaveLength(200)
  expect(texts.filter((text) => text !== 'hi')).toEqual([])
}, 120_000) // T27

it('reports a process that was left in the background, also in its own session', async () => {
  expect((await bash('sleep 60 & echo hi')).text).toContain('left in the background')
  expect((await bash('setsid sleep 60 >/dev/null 2>&1 & echo hi')).text).toContain('left in the background')
  expect((await bash('echo hi > >(cat)')).text).toBe('hi')
}) // T27

describe('a link that a command leaves where the next one has something mounted', () => {
  const outside = () => join(place, 'outside')
  beforeEach(() => mkdirSync(outside()))

  it('leads to nothing outside, in its home', async () => {
    expect((await bash(`ln -s /oldroot${outside()} ~/.local && ls -d ~/.local`)).isError).toBeFalsy()
    mkdirSync(join(place, 'home/.local/bin'), { recursive: true })
    expect(await bash('ls -d ~/.local/bin')).toMatchObject({ text: expect.stringContaining('.local/bin') })
    expect(readdirSync(outside())).toEqual([])
  })

  it('cannot be put there while something is mounted, in its home and in /tmp', async () => {
    mkdirSync(join(place, 'home/.local/bin'), { recursive: true })
    for (const folder of ['~/.local', ...(root.startsWith('/tmp/') ? [place] : [])]) {
      const moved = await bash(`mv ${folder} ${folder}-moved && ln -s /oldroot${outside()} ${folder}`)
      expect(moved.isError, folder).toBe(true)
      expect((await bash('echo works')).text).toContain('works')
    }
    expect(readdirSync(outside())).toEqual([])
  })
})

describe('the limits of a command', () => {
  it('end a fork bomb, an endless process and an endless file', async () => {
    using small = await open({ limits: { processes: 60, memory: 300_000_000, fileSize: 1_000_000 } })
    const bomb =
      'for i in $(seq 200); do sleep 5 & done 2>/dev/null; ls /proc | grep -c "^[0-9]"; kill $(jobs -p) 2>/dev/null'
    const { text } = await bash(bomb, small)
    const most = Math.max(0, ...[...text.matchAll(/^(\d+)$/gm)].map(([, count]) => Number(count)))
    expect(most).toBeLessThan(80)
    expect((await bash('head -c 2000000 /dev/zero > big; stat -c %s big', small)).text).toMatch(/1000448|1000000|999/)
    const hungry = `node -e "const a=[]; for(let i=0;i<40;i++) a.push(Buffer.alloc(20e6,1)); console.log('all of it')"`
    expect((await bash(hungry, small)).text).not.toContain('all of it')
  }) // T18

  it('leave no descriptor of this process open in a command', async () => {
    const secret = join(place, 'secret')
    writeFileSync(secret, 'TRUTH')
    // A process that was started with a descriptor, and starts a program by the module that all of ours use.
    const source = readFileSync(new URL('../../src/permissions/processes/start-program.ts', import.meta.url), 'utf8')
    const module = source.replace(/^import .*errors\.ts'$/m, 'class TeamError extends Error {}')
    const start = `startProgram({ file: '/bin/sh', args: ['-c', 'cat /proc/self/fd/50; ls -l /proc/self/fd'], cwd: '/', env: {}, stdio: ['ignore', 'inherit', 'inherit'] })`
    const { outputText } = ts.transpileModule(`${module}\n${start}`, {
      compilerOptions: { module: ts.ModuleKind.ESNext },
    })
    writeFileSync(join(place, 'start.mjs'), outputText)
    const child = spawn('/bin/bash', ['-c', `exec 50<${secret}; exec ${process.execPath} start.mjs`], { cwd: place })
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    await once(child, 'close')
    expect(said).not.toMatch(/TRUTH|secret/)
    expect(said).toContain('50 -> /dev/null')
  }) // T18
})

it('keep the keys of this process out of reach of a command', async () => {
  const before = process.env.DESKMATES_TRIAL_TOKEN
  process.env.DESKMATES_TRIAL_TOKEN = 'trial-value-of-a-key'
  try {
    const { text } = await bash(
      'cat /proc/*/environ /proc/*/cmdline /proc/$PPID/environ 2>/dev/null | tr "\\0" "\\n"; env',
    )
    expect(text).toContain('DESKMATES_AGENT=ada')
    expect(text).not.toMatch(/trial-value|ANTHROPIC/)
  } finally {
    if (before === undefined) delete process.env.DESKMATES_TRIAL_TOKEN
    else process.env.DESKMATES_TRIAL_TOKEN = before
  }
}) // T10

describe('hooks in the sandbox', () => {
  const hookIn = async (hook: object) => {
    const settings = { Stop: [{ hooks: [{ type: 'command' as const, command: 'sh check.sh', ...hook }] }] }
    const place = { session: 's', cwd: root, writable: [root], env: env(), sandbox: opened.sandbox }
    await createHooks({ ...place, settings }).run(
      'Stop',
      { agent: 'lead' },
      { signal: new AbortController().signal, fence: async () => {} },
      () => {},
    )
  }

  it('run what agents wrote inside, and outside only where their settings say so', async () => {
    const trace = join(place, 'outside')
    writeFileSync(join(root, 'check.sh'), `touch ${trace}; touch inside`)
    await hookIn({})
    expect([existsSync(trace), existsSync(join(root, 'inside'))]).toEqual([false, true])
    await hookIn({ sandbox: false })
    expect(existsSync(trace)).toBe(true)
  }) // T9
})
