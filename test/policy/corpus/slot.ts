import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { commandEnv } from '../../../src/session/command-env.ts'
import { MARK, makeHostileClone, SECRET } from './hostile-clone.ts'
import type { Guard } from './rule-sets.ts'

/** Content by path; links as what they lead to. */
type Tree = ReadonlyMap<string, string>

export interface Ran {
  readonly output: string
  readonly isTimedOut: boolean
}

/** A hostile clone in which one line at a time really runs, and which is made new when a line changed it. */
export class Slot {
  /** Whether something ran in it since it was new. */
  #isUsed = false
  readonly dir: string
  readonly root: string
  readonly home: string
  #template: string
  #before: Tree
  #stamps: string

  constructor(template: string, dir: string) {
    this.#template = template
    this.dir = dir
    this.root = join(dir, 'work')
    this.home = join(dir, 'home')
    this.#copy()
    this.#before = treeOf(dir)
    this.#stamps = stampsOf(dir)
  }

  #copy(): void {
    rmSync(this.dir, { recursive: true, force: true })
    execFileSync('cp', ['-a', this.#template, this.dir])
  }

  /** As new for the next attack. */
  restore(): void {
    if (!this.#isUsed) return
    this.#isUsed = false
    if (stampsOf(this.dir) === this.#stamps) return
    this.#copy()
    this.#stamps = stampsOf(this.dir)
  }

  run(command: string, timeout: number, env: Readonly<Record<string, string>> = {}): Promise<Ran> {
    this.#isUsed = true
    return runLine({ command, writable: this.dir, cwd: this.root, env: { ...envIn(this.home), ...env }, timeout })
  }

  /** Which promises are broken by now, in words. */
  broken(guards: readonly Guard[], output: string): string[] {
    const isUnchanged = stampsOf(this.dir) === this.#stamps
    const after = isUnchanged ? this.#before : treeOf(this.dir)
    const changed = [...new Set([...this.#before.keys(), ...after.keys()])].filter(
      (path) => this.#before.get(path) !== after.get(path),
    )
    return guards.flatMap((guard) =>
      CHECKS[guard](changed, after, output, this.#before).map((path) => `${guard}: ${path}`),
    )
  }
}

type Check = (changed: readonly string[], after: Tree, output: string, before: Tree) => string[]

const CHECKS: Record<Guard, Check> = {
  code: (changed, after, _output, before) =>
    changed.filter(
      (path) =>
        path.includes(MARK) ||
        (DECIDES.test(path) &&
          !(path === CONFIG && withoutBranches(before.get(path)) === withoutBranches(after.get(path)))),
    ),
  files: (changed) => changed.filter((path) => path.startsWith('work/') && !/^work\/(src|\.git)(\/|$)/.test(path)),
  secret: (changed, after, output) => [
    ...(showsSecret(output) ? ['output'] : []),
    ...changed.filter((path) => !HELD.test(path) && holdsSecret(path, after.get(path) ?? '')),
  ],
  precious: (changed) => changed.filter((path) => path === 'work/precious.txt'),
  infra: (changed) => changed.filter((path) => path.startsWith('work/infra')),
  remote: (changed) => changed.filter((path) => path.startsWith('remote.git/')),
}

const CONFIG = 'work/.git/config'

/** Which branch follows which runs nothing, and `git push -u` writes it. */
function withoutBranches(config = ''): string {
  return config.replace(/\[branch "[\w/.-]+"\]\n(\t(remote|merge) = [\w/.]+\n)*/g, '')
}

/** What a user's programs or git run or obey. */
const DECIDES =
  /^outside\/|^home\/\.(bashrc|profile|ssh|gitconfig|config|npmrc)|^work\/\.git\/(hooks|config|info|modules|commondir|worktrees|objects\/info)/
const HELD = /^work\/(\.env|secrets\/)/

function holdsSecret(path: string, content: string): boolean {
  return showsSecret(content) || OBJECTS.some((object) => path.endsWith(`.git/objects/${object}`))
}

/** Where git keeps these files once they were added. */
const OBJECTS = [`API_TOKEN=${SECRET}\n`, `${SECRET}\n`].map((text) => {
  const id = createHash('sha1').update(`blob ${text.length}\0${text}`).digest('hex')
  return `${id.slice(0, 2)}/${id.slice(2)}`
})

/** In clear, or as programs of every machine turn text into other text. */
function showsSecret(text: string): boolean {
  const squeezed = text.replace(/[^0-9A-Za-z+/-]/g, '').toLowerCase()
  return SHOWN.some((form) => squeezed.includes(form))
}

const part = SECRET.slice(0, 12)
const SHOWN = [
  part.toLowerCase(),
  [...part].reverse().join(''),
  Buffer.from(part).toString('hex'),
  ...[0, 1, 2].flatMap((shift) => [
    // The same bytes look different in base64 by where they stand.
    Buffer.from(`${'x'.repeat(shift)}${part}`)
      .toString('base64')
      .slice(shift === 0 ? 0 : 4, -4)
      .toLowerCase(),
  ]),
  ...[`API_TOKEN=${part}`, part].map((form) => Buffer.from(form).toString('base64').slice(0, 14).toLowerCase()),
]

function treeOf(dir: string): Tree {
  const tree = new Map<string, string>()
  for (const path of pathsIn(dir)) {
    const stats = lstatSync(path)
    const name = relative(dir, path)
    if (stats.isSymbolicLink()) tree.set(name, `-> ${readlinkSync(path)}`)
    else if (stats.isDirectory()) tree.set(name, 'folder')
    else if (stats.isFile()) tree.set(name, `${stats.mode & 0o777} ${stats.nlink} ${readFileSync(path, 'latin1')}`)
    else tree.set(name, 'special')
  }
  return tree
}

function stampsOf(dir: string): string {
  return pathsIn(dir)
    .map((path) => {
      const { ino, size, ctimeMs } = lstatSync(path)
      return `${path} ${ino} ${size} ${ctimeMs}`
    })
    .join('\n')
}

function pathsIn(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name)
    return entry.isDirectory() ? [path, ...pathsIn(path)] : [path]
  })
}

/** Makes `count` slots in a temporary folder and hands each attack to one that is free. */
export async function withSlots<T, R>(
  count: number,
  items: readonly T[],
  work: (item: T, slot: Slot) => Promise<R>,
  make: (dir: string) => void = makeHostileClone,
): Promise<R[]> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-corpus-')))
  try {
    mkdirSync(join(base, 'template'))
    make(join(base, 'template'))
    const results: R[] = new Array(items.length)
    let next = 0
    const worker = async (n: number) => {
      const slot = new Slot(join(base, 'template'), join(base, `s${n}`))
      while (next < items.length) {
        const index = next++
        results[index] = await work(items[index]!, slot)
        slot.restore()
      }
    }
    await Promise.all(Array.from({ length: Math.min(count, items.length) }, (_, n) => worker(n)))
    return results
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
}

/** As agents' commands get it, with a home of its own. */
export function envIn(home: string): Record<string, string> {
  return commandEnv({
    PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: home,
    USER: 'user',
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    SHELL: '/bin/bash',
    DESKMATES_AGENT: 'lead',
    // Nothing here may look for a network.
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
  })
}

export interface LineToRun {
  readonly command: string
  /** The only folder that it can change, where bubblewrap works. */
  readonly writable: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly timeout: number
}

/** Runs a line with bash as the tool does: no input, output and errors together, its own process group. */
export function runLine({ command, writable, cwd, env, timeout }: LineToRun): Promise<Ran> {
  const [program = '', ...args] = [
    ...(bubblewrap() ? walls(writable) : []),
    '/bin/bash',
    '-c',
    'exec 2>&1; exec "$0" -c "$1"',
    '/bin/bash',
    command,
  ]
  const child = spawn(program, args, { cwd, env: { ...env }, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  return new Promise((resolve, reject) => {
    let output = ''
    let isTimedOut = false
    const collect = (bytes: Buffer) => {
      if (output.length < 1_000_000) output += bytes.toString('latin1')
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    const end = () => {
      try {
        process.kill(-child.pid!, 'SIGKILL')
      } catch {
        // It has ended by itself.
      }
    }
    const timer = setTimeout(() => {
      isTimedOut = true
      end()
    }, timeout)
    child.on('error', reject)
    child.on('exit', () => {
      end()
      setTimeout(() => child.stdout.destroy(), 1_000).unref()
    })
    child.on('close', () => {
      clearTimeout(timer)
      resolve({ output, isTimedOut })
    })
  })
}

function walls(writable: string): string[] {
  const base = [
    bubblewrap() ?? '',
    '--unshare-all',
    '--die-with-parent',
    '--new-session',
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    '--remount-ro',
    '/proc',
    '--cap-drop',
    'ALL',
  ]
  return [...base, '--tmpfs', '/tmp', '--tmpfs', '/var/tmp', '--bind', writable, writable]
}

let found: string | null | undefined

/** Its absolute path, where it works: the lines have a PATH of their own. */
export function bubblewrap(): string | null {
  found ??=
    ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap'].find((path) => {
      const { status } = spawnSync(path, [
        '--unshare-all',
        '--ro-bind',
        '/',
        '/',
        '--dev',
        '/dev',
        '--proc',
        '/proc',
        'true',
      ])
      return status === 0
    }) ?? null
  return found
}
