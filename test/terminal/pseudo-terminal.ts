import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import xterm from '@xterm/headless'
import { findProgram } from '../../src/permissions/processes/find-program.ts'
import { cli } from '../demo/demo-process.ts'

/** A terminal in which a person works, with the kernel's pseudo-terminal behind it. */
export interface PseudoTerminal {
  /** The rows that a person sees now, without spaces at their ends. */
  screen(): Promise<string>
  /** Also what has scrolled away above. */
  everything(): Promise<string>
  /** Keys as they are typed, one after the other. */
  type(text: string): void
  /** One key by its name. */
  press(key: Key): void
  resize(columns: number, rows: number): void
  /** Until a person sees all of this; resolves to the screen. */
  sees(...texts: (string | RegExp)[]): Promise<string>
  /** Until a person does not see it any more. */
  seesNo(text: string | RegExp): Promise<string>
}

const KEYS = {
  Enter: '\r',
  Escape: '\x1b',
  Up: '\x1b[A',
  Down: '\x1b[B',
  Left: '\x1b[D',
  BTab: '\x1b[Z',
  Tab: '\t',
  'C-c': '\x03',
  'C-d': '\x04',
} as const
export type Key = keyof typeof KEYS

export interface OpenOptions {
  readonly columns?: number
  readonly rows?: number
  readonly env?: Readonly<Record<string, string>>
}

type Backend = 'tmux' | 'script'
const programs = {
  tmux: findProgram('tmux', process.env.PATH, [])?.file,
  script: findProgram('script', process.env.PATH, [])?.file,
}

/** `tmux` where it is installed, else `script`; undefined where there is neither. */
export const backend: Backend | undefined = programs.tmux ? 'tmux' : programs.script ? 'script' : undefined

/** A folder of a person, with a home of its own. Disposing it ends its terminals. */
export interface Project extends Disposable {
  readonly dir: string
  readonly home: string
  /** Types `deskmates ARGS` in a new terminal. */
  open(args: string, options?: OpenOptions): PseudoTerminal
}

const GIVE_UP_MS = 120_000
const LOOK_AGAIN_MS = 40

/** `files` by their path in the folder; `script.json` is what the scripted model answers. */
export function makeProject(files: Readonly<Record<string, string>>, by: Backend = backend!): Project {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'dm-terminal-')))
  const [dir, home] = [join(top, 'shop'), join(top, 'home')]
  for (const folder of [dir, home]) mkdirSync(folder)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(dir, path, '..'), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  const own = {
    HOME: home,
    DESKMATES_STATE: join(top, 'state'),
    XDG_RUNTIME_DIR: '',
    OLLAMA_HOST: 'http://127.0.0.1:9',
  }
  const closers: (() => void)[] = []
  let count = 0
  return {
    dir,
    home,
    open(args, { columns = 80, rows = 24, env = {} } = {}) {
      const variables = Object.entries({ ...own, ...env }).map(([name, value]) => `${name}='${value}'`)
      const command = `env -u NO_COLOR ${variables.join(' ')} '${process.execPath}' '${cli}' ${args}; echo "exit $?"; cat`
      const start = { top, dir, command, columns, rows, name: `t${count++}` }
      return by === 'tmux' ? openInTmux(start, closers) : openInScript(start, closers)
    },
    [Symbol.dispose]() {
      for (const close of closers.splice(0)) close()
      rmSync(top, { recursive: true, force: true, maxRetries: 12 })
    },
  }
}

interface Start {
  readonly top: string
  readonly dir: string
  readonly command: string
  readonly columns: number
  readonly rows: number
  readonly name: string
}

function openInTmux({ top, dir, command, columns, rows, name }: Start, closers: (() => void)[]): PseudoTerminal {
  const run = (...args: string[]) =>
    execFileSync(programs.tmux!, ['-S', join(top, 'tmux.sock'), ...args], { encoding: 'utf8', cwd: dir })
  if (closers.length === 0) closers.push(() => run('kill-server'))
  run('-f', '/dev/null', 'new-session', '-d', '-s', name, '-x', `${columns}`, '-y', `${rows}`, command)
  const shown = (...from: string[]) => run('capture-pane', '-p', ...from, '-t', name).replace(/[ \t]+$/gm, '')
  return looking({
    screen: async () => shown(),
    everything: async () => shown('-S', '-'),
    type: (text) => void run('send-keys', '-t', name, '-l', text),
    press: (key) => void run('send-keys', '-t', name, key),
    resize: (newColumns, newRows) => void run('resize-window', '-t', name, '-x', `${newColumns}`, '-y', `${newRows}`),
  })
}

/** `script` gives the command a pseudo-terminal; what it writes is drawn by xterm. */
function openInScript({ top, dir, command, columns, rows, name }: Start, closers: (() => void)[]): PseudoTerminal {
  const device = join(top, `${name}.tty`)
  const sized = `tty > '${device}'; stty cols ${columns} rows ${rows}; ${command}`
  const child: ChildProcessWithoutNullStreams = spawn(programs.script!, ['-qfec', sized, '/dev/null'], {
    cwd: dir,
    env: { PATH: process.env.PATH, TERM: 'xterm-256color', SHELL: '/bin/sh' },
  })
  closers.push(() => child.kill('SIGKILL'))
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 5000, allowProposedApi: true })
  child.stdout.on('data', (data: Buffer) => terminal.write(data))
  const lines = async (from: (active: (typeof terminal)['buffer']['active']) => number) => {
    await new Promise<void>((resolve) => terminal.write('', resolve))
    const { active } = terminal.buffer
    const all = Array.from({ length: active.length }, (_, i) => active.getLine(i)!.translateToString(true))
    return all
      .slice(from(active))
      .join('\n')
      .replace(/[ \t]+$/gm, '')
  }
  return looking({
    screen: () => lines(({ baseY }) => baseY),
    everything: () => lines(() => 0),
    type: (text) => void child.stdin.write(text),
    press: (key) => void child.stdin.write(KEYS[key]),
    resize(newColumns, newRows) {
      if (!existsSync(device)) throw new Error('The terminal is not open yet.')
      terminal.resize(newColumns, newRows)
      const at = readFileSync(device, 'utf8').trim()
      execFileSync('stty', ['-F', at, 'cols', `${newColumns}`, 'rows', `${newRows}`])
    },
  })
}

function looking(terminal: Omit<PseudoTerminal, 'sees' | 'seesNo'>): PseudoTerminal {
  const has = (screen: string, text: string | RegExp) =>
    typeof text === 'string' ? screen.includes(text) : text.test(screen)
  async function until(isRight: (screen: string) => boolean, what: string): Promise<string> {
    const giveUpAt = performance.now() + GIVE_UP_MS
    for (;;) {
      const screen = await terminal.screen()
      if (isRight(screen)) return screen
      if (performance.now() > giveUpAt) throw new Error(`The person never ${what}:\n${screen}`)
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
    }
  }
  return {
    ...terminal,
    sees: (...texts) =>
      until((screen) => texts.every((text) => has(screen, text)), `sees ${texts.map(String).join(' and ')}`),
    seesNo: (text) => until((screen) => !has(screen, text), `stops seeing ${text}`),
  }
}
