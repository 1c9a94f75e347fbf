import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommandLine } from '../../src/cli/command-line.ts'
import type { Context } from '../../src/cli/program/context.ts'
import { type ManualClock, manualClock } from '../../src/testing/manual-clock.ts'

interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** What differs from the default context; `columns` is the width of the terminal. */
type Changes = Partial<Context> & { readonly columns?: number }

/** Runs command lines in this process, in a temporary folder and on a manual clock. */
export interface CommandHarness {
  readonly dir: string
  readonly clock: ManualClock
  readonly env: NodeJS.ProcessEnv
  /** `words` is split at spaces; an array is taken as it is. */
  run(words: string | readonly string[], changes?: Changes): Promise<Ran>
  /** Returns stdout; throws unless the exit code is 0. */
  ok(words: string | readonly string[], changes?: Partial<Context>): Promise<string>
  /** Runs with `--json` and returns the parsed output; throws unless the exit code is 0. */
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape it asked for
  json(words: string | readonly string[], changes?: Partial<Context>): Promise<any>
  /** Returns the code of the refusal; throws unless the exit code is 1. */
  refused(words: string | readonly string[], changes?: Partial<Context>): Promise<string>
  read(...path: string[]): string
  close(): void
}

export function commandHarness(): CommandHarness {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-cli-')))
  const dir = join(top, 'work')
  mkdirSync(dir)
  const clock = manualClock(1_800_000_000)
  // No test finds a model server that happens to run on this machine.
  const env = { HOME: join(top, 'home'), DESKMATES_STATE: join(top, 'state'), OLLAMA_HOST: 'http://127.0.0.1:9' }

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

  const harness: CommandHarness = {
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
      return JSON.parse(await harness.ok(argv, changes))
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
  return harness
}

/** Whether that warning appears depends on the machine. */
export function stderrWithoutSandboxWarning({ stderr }: { readonly stderr: string }): string {
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
