import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ManualClock, manualClock } from '../testing/manual-clock.ts'
import type { Context } from './context.ts'
import { runCommandLine } from './program.ts'

interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** The world as a test wants it; `columns` wide, where it is a terminal. */
type Changes = Partial<Context> & { readonly columns?: number }

/** A folder of its own in which a test runs command lines, in this process and by its own clock. */
export interface Desk {
  readonly dir: string
  readonly clock: ManualClock
  readonly env: NodeJS.ProcessEnv
  /** `words` is split at spaces; an array is taken as it is. */
  run(words: string | readonly string[], changes?: Changes): Promise<Ran>
  /** Exit 0 or the test fails; stdout as text. */
  ok(words: string | readonly string[], changes?: Partial<Context>): Promise<string>
  /** The same with `--json`, parsed. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at what it asked for
  json(words: string | readonly string[], changes?: Partial<Context>): Promise<any>
  /** Exit 1 with a refusal; its code. */
  refused(words: string | readonly string[], changes?: Partial<Context>): Promise<string>
  read(...path: string[]): string
  close(): void
}

export function openDesk(): Desk {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-cli-')))
  const dir = join(top, 'work')
  mkdirSync(dir)
  const clock = manualClock(1_800_000_000)
  const env = { HOME: join(top, 'home'), DESKMATES_STATE: join(top, 'state') }

  async function run(words: string | readonly string[], { columns, ...changes }: Changes = {}): Promise<Ran> {
    const [stdout, stderr] = [collector(columns), collector(columns)]
    const argv = typeof words === 'string' ? words.split(' ').filter((word) => word !== '') : words
    const context: Context = {
      stdout,
      stderr,
      stdin: (async function* () {})(),
      env,
      cwd: dir,
      isTerminal: false,
      signal: new AbortController().signal,
      clock,
      ...changes,
    }
    const code = await runCommandLine(argv, context)
    return { code, stdout: stdout.text(), stderr: stderr.text() }
  }

  const desk: Desk = {
    dir,
    clock,
    env,
    run,
    async ok(words, changes) {
      const { code, stdout, stderr } = await run(words, changes)
      if (code !== 0) throw new Error(`${words} ended with ${code}: ${stderr}`)
      return stdout
    },
    async json(words, changes) {
      const argv = typeof words === 'string' ? `${words} --json` : [...words, '--json']
      return JSON.parse(await desk.ok(argv, changes))
    },
    async refused(words, changes) {
      const argv = typeof words === 'string' ? `${words} --json` : [...words, '--json']
      const { code, stdout, stderr } = await run(argv, changes)
      if (code !== 1) throw new Error(`${words} ended with ${code}: ${stdout}${stderr}`)
      return JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error.code
    },
    read: (...path) => readFileSync(join(dir, ...path), 'utf8'),
    close: () => rmSync(top, { recursive: true, force: true }),
  }
  return desk
}

/** What a command says on stderr, without the warning about a missing sandbox, which depends on the machine. */
export function talkIn({ stderr }: { readonly stderr: string }): string {
  return stderr.replace(/^.*Commands run without a sandbox.*\n/m, '')
}

function collector(columns: number | undefined) {
  let all = ''
  return {
    columns,
    write(text: string, done: (error?: Error | null) => void): void {
      all += text
      done()
    },
    text: () => all,
  }
}
