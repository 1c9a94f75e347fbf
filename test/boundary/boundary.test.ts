import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type OpenedSandbox, openSandbox } from '../../src/permissions/sandbox/open-sandbox.ts'
import { type ToolHarness, toolHarness } from '../../src/testing/harnesses/tool-harness.ts'
import { runCall } from '../../src/tools/run-call.ts'
import { createBash } from '../../src/tools/shell/bash.ts'

const place = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-boundary-')))
const root = join(place, 'work')
const home = join(place, 'home')
const state = join(place, 'state')
const outside = join(place, 'outside')
const rules = { hasFileRules: false, forbids: () => false, mayUseNetwork: () => false }
const env = { PATH: process.env.PATH ?? '', HOME: home, MY_TOKEN: 'hush', LANG: 'C', SHOWN: 'yes' }
const plan = { mode: 'auto' as const, root, folders: [], env, hidden: [state], rules }

function put(path: string, text: string): void {
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, text)
}

let opened: OpenedSandbox
beforeAll(async () => {
  for (const path of [
    '.teams/web/journal.jsonl',
    '.tasks/web/1.json',
    '.deskmates/settings.json',
    '.claude/settings.json',
  ])
    put(join(root, path), 'TRUTH')
  for (const path of ['agents/a.md', 'skills/s/SKILL.md', 'infra/main.tf', 'secrets/key', 'sub/.env'])
    put(join(root, path), 'TRUTH')
  execFileSync('git', ['init', '-q', root], { env: { ...process.env, HOME: home } })
  put(join(home, '.ssh/id_ed25519'), 'TRUTH')
  put(join(home, '.npmrc'), 'TRUTH')
  put(join(home, '.gitconfig'), '[user]\nname = Ada\nemail = ada@example.com\n')
  put(join(state, 'trust.json'), 'TRUTH')
  put(join(outside, 'file'), 'TRUTH')
  symlinkSync(outside, join(root, 'link'))
  opened = await openSandbox(plan)
})
afterAll(() => {
  opened[Symbol.dispose]()
  rmSync(place, { recursive: true, force: true })
})

const isHere = works()
/** Asked of the machine itself, not of the code under test: a boundary that never works would skip its own test. */
function works(): boolean {
  try {
    const args = ['--unshare-all', '--unshare-user', '--disable-userns', '--ro-bind', '/', '/', 'true']
    execFileSync('bwrap', args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

async function bash(command: string, { sandbox } = opened, changes: Partial<ToolHarness> = {}) {
  const world = toolHarness({ root, env, ...changes, sandbox })
  return runCall([createBash()], { name: 'bash', input: { command } }, world)
}

/** Those of the commands that got what they wanted, tried one after the other inside. */
async function succeeding(commands: readonly string[]): Promise<string[]> {
  const tries = commands.map((command, i) => `( ${command} ) >/dev/null 2>&1 && echo GOT ${i}`)
  const { text } = await bash(`${tries.join('\n')}\ntrue`)
  return [...text.matchAll(/^GOT (\d+)$/gm)].map(([, i]) => commands[Number(i)]!)
}

describe('a command in the sandbox', () => {
  beforeEach(({ skip }) => skip(!isHere, 'bubblewrap does not work here'))

  it('runs on this machine', () => expect(opened.state).toBe('on'))

  it('writes to the workspace and to its own lasting /tmp, and nowhere else', async () => {
    expect((await bash('echo made > made && echo kept > /tmp/kept && cat made')).text).toBe('made')
    expect(readFileSync(join(root, 'made'), 'utf8')).toBe('made\n')
    expect((await bash('cat /tmp/kept')).text).toBe('kept')
    expect(existsSync('/tmp/kept')).toBe(false)
    const places = ['/etc/x', '/usr/x', '/x', '/var/x', join(outside, 'x'), '/sys/kernel/x', '/run/../etc/x']
    const kernel = [
      '/proc/sys/kernel/core_pattern',
      '/proc/sys/kernel/hostname',
      '/proc/sysrq-trigger',
      '/proc/sys/vm/x',
    ]
    expect(await succeeding([...places, ...kernel].map((path) => `echo out > ${path}`))).toEqual([])
    expect(existsSync(join(outside, 'x'))).toBe(false)
  })

  it('does not leave the workspace through a link', async () => {
    await bash('echo out > link/file; echo out > link/new; ln -s / top; echo out > top/etc/x; mv link l2; rm -rf l2/*')
    expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('TRUTH')
    expect(existsSync(join(outside, 'new'))).toBe(false)
  })

  it('sees neither team files, nor the home folder with its keys, nor other deskmates files', async () => {
    const hidden = ['.teams/web/journal.jsonl', '.tasks/web/1.json', `${home}/.ssh/id_ed25519`, `${home}/.npmrc`]
    const read = await bash(`cat ${[...hidden, `${state}/trust.json`].join(' ')}`)
    expect(read.text).not.toContain('TRUTH')
    const { text } = await bash('ls -A .teams .tasks; echo x > .teams/new; mkdir .tasks/web; ls -A .teams .tasks')
    expect(text).not.toMatch(/journal|\bnew$/)
    expect(readFileSync(join(root, '.teams/web/journal.jsonl'), 'utf8')).toBe('TRUTH')
    expect(existsSync(join(root, '.teams/new'))).toBe(false)
    expect((await bash('cat /etc/shadow')).isError).toBe(true)
    expect((await bash('ls -A /run /home /root')).text).not.toMatch(/sock|\.ssh/)
  })

  it('commits with git', async () => {
    const { text, isError } = await bash('echo a > a; git add a && git commit -qm first && git log --format=%an')
    expect({ text, isError }).toMatchObject({ text: expect.stringContaining('Ada'), isError: false })
  })

  it('cannot change, move or replace what configures agents and git', async () => {
    const kept = [
      '.deskmates/settings.json',
      '.claude/settings.json',
      'agents/a.md',
      'skills/s/SKILL.md',
      '.git/config',
    ]
    const before = kept.map((path) => readFileSync(join(root, path), 'utf8'))
    const tries = (path: string) => [`echo x > ${path}`, `rm ${path}`, `rm -rf ${path.split('/')[0]}`, `cp a ${path}`]
    await succeeding(kept.filter((path) => path !== '.git/config').flatMap(tries))
    await succeeding(['echo x > .git/config', 'rm .git/config', 'mv a .git/config'])
    expect(kept.map((path) => readFileSync(join(root, path), 'utf8'))).toEqual(before)
    const hooks = ['echo x > .git/hooks/pre-commit', 'mv .git g; cp -r g .git; echo x > .git/hooks/pre-commit']
    await succeeding([...hooks, 'git config core.hooksPath /tmp', 'git config --global a.b c', 'rm -rf .git'])
    expect(existsSync(join(root, '.git/hooks/pre-commit'))).toBe(false)
    expect(readFileSync(join(root, '.git/config'), 'utf8')).not.toContain('hooksPath')
    expect(readFileSync(join(home, '.gitconfig'), 'utf8')).toContain('Ada')
  })

  it('has no network, and an error that says how to allow it', async () => {
    const server = createServer((socket) => socket.end('REACHED')).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    const ask = `bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3'`
    try {
      const { text, isError } = await bash(ask)
      expect(text).not.toContain('REACHED')
      expect(isError).toBe(true)
      expect(text).toMatch(/\[no network: sandbox; allow with --allowedTools 'network(\(bash \*\))?'\]/)
      using allowed = await openSandbox({ ...plan, rules: { ...rules, mayUseNetwork: () => true } })
      expect((await bash(ask, allowed)).text).toContain('REACHED')
    } finally {
      server.close()
    }
  })

  it('mounts nothing, makes no namespace, opens no device and gains no privilege', async () => {
    const tries = [
      'mount -o remount,rw /',
      'mount -t tmpfs x /tmp',
      'umount .teams',
      'umount -l .git/hooks',
      'unshare -U true',
    ]
    const more = ['unshare -Ur true', 'unshare -m true', 'mknod d b 8 0', 'chroot / true', 'mount --bind / /tmp']
    expect(await succeeding([...tries, ...more])).toEqual([])
    expect((await bash('ls /dev')).text).not.toMatch(/^(sd|vd|nvme|kmsg|mem|kvm)/m)
    expect((await bash('grep -E "Cap(Prm|Eff|Bnd)" /proc/self/status')).text.match(/0{16}/g)).toHaveLength(3)
  })

  it('gets an allow-list of variables, to which the user can add', async () => {
    const { text } = await bash('env')
    expect(text).toContain('DESKMATES_AGENT=ada')
    expect(text).toContain('LANG=C')
    expect(text).not.toMatch(/hush|SHOWN/)
    using more = await openSandbox({ ...plan, also: ['SHOWN'] })
    expect((await bash('env', more)).text).toContain('SHOWN=yes')
  })

  it('neither sees nor ends other processes, and its own end with it', async () => {
    const { text } = await bash(`kill -9 ${process.pid}; kill -0 ${process.pid}; ls /proc | grep -c '^[0-9]'`)
    expect(Number(text.split('\n').at(-1))).toBeLessThan(10)
    const world = toolHarness({ root, env, sandbox: opened.sandbox })
    const left = await runCall(
      [createBash()],
      { name: 'bash', input: { command: 'setsid sleep 61.5 & sleep 62.5', timeout: 300 } },
      world,
    )
    expect(left.text).toContain('its time-out')
    expect(world.groups).toHaveLength(1)
    await expect.poll(() => processes(), { timeout: 5000 }).not.toMatch(/sleep\0?6[12]\.5/)
  })

  it('reads and writes no file that rules deny to file tools', async () => {
    const denied = ['secrets', '.env']
    using strict = await openSandbox({
      ...plan,
      rules: {
        ...rules,
        hasFileRules: true,
        forbids: (kind, path) =>
          kind === 'read' ? denied.some((name) => path.endsWith(`/${name}`)) : path.endsWith('/infra'),
      },
    })
    const { text } = await bash('cat secrets/* sub/.env; grep -r TRUTH . | sort', strict)
    expect(text).not.toMatch(/(secrets\/key|\.env):TRUTH/)
    expect(text).toContain('infra/main.tf:TRUTH')
    await bash('echo x > infra/main.tf; mv infra i; rm -rf infra secrets', strict)
    expect(readFileSync(join(root, 'infra/main.tf'), 'utf8')).toBe('TRUTH')
    expect(readFileSync(join(root, 'secrets/key'), 'utf8')).toBe('TRUTH')
  })
})

function processes(): string {
  return execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
}

describe('a missing sandbox', () => {
  const broken: Record<string, { script?: string; cause: string }> = {
    missing: { cause: 'not installed' },
    'a broken one': {
      script: 'echo "bwrap: No permissions to create a new namespace" >&2; exit 1',
      cause: 'No permissions to create',
    },
    'one that keeps nothing in': {
      script: 'while [ "$1" != /bin/sh ]; do shift; done; exec "$@"',
      cause: 'does not work here',
    },
    'one that does nothing': { script: 'exit 0', cause: 'does not work here' },
  }
  it.for(Object.entries(broken))(
    'is detected by a trial run, with cause and remedy: %s',
    async ([name, { script, cause }]) => {
      const folder = join(place, name.replaceAll(' ', '-'))
      mkdirSync(folder)
      if (script !== undefined) {
        writeFileSync(join(folder, 'bwrap'), `#!/bin/sh\n${script}\n`)
        chmodSync(join(folder, 'bwrap'), 0o755)
      }
      const none = await openSandbox({ ...plan, env: { ...env, PATH: folder } })
      expect(none).toMatchObject({ state: 'missing', sandbox: undefined })
      expect(none.why?.cause).toContain(cause)
      expect(none.why?.remedy).toMatch(/bubblewrap|user namespaces|belong|container/i)
    },
  )

  it('never runs a sandbox program from a folder that agents can write to', async () => {
    const folder = join(root, 'node_modules/.bin')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'bwrap'), '#!/bin/sh\ntouch "$0.ran"; echo inside\n', { mode: 0o755 })
    const found = await openSandbox({ ...plan, env: { ...env, PATH: folder } })
    expect(found.state).toBe('missing')
    expect(existsSync(join(folder, 'bwrap.ran'))).toBe(false)
    rmSync(folder, { recursive: true })
  })

  it('is not tried where the user turned it off', async () => {
    expect(await openSandbox({ ...plan, mode: 'off' })).toMatchObject({ state: 'off', sandbox: undefined })
  })
})
