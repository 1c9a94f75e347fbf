import type { ChildProcess, ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { startProgram } from '../../permissions/processes/start-program.ts'
import { codeOf } from '../../stores/files/disk.ts'
import { TeamError } from '../../team/errors.ts'

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Our own command line in a process of its own, which speaks in lines of JSON. */
export interface Player {
  /** The next thing it says. Rejects if it ends without a word. */
  heard(): Promise<unknown>
  tell(line: string): void
  /** SIGKILL, which no process can catch. Resolves, when it is gone, to what it died of. */
  kill(): Promise<NodeJS.Signals | null>
}

/** The processes that an examination starts: each known by its own handle, and none outlives it. */
export interface Children {
  /** Runs some program to its end. Rejects if it cannot be started. */
  run(program: string, args: readonly string[], cwd: string): Promise<Ran>
  /** Starts one of our own processes. It hangs on its stdin: should we die, that closes and it goes. */
  play(args: readonly string[], env: NodeJS.ProcessEnv): Player
  /** Ends whoever is left, and resolves when all are gone. */
  end(): Promise<void>
  /** The same for a process that is about to exit and cannot wait. */
  endNow(): void
}

type Ended = Promise<unknown>

export function createChildren(options: { readonly cli: string; readonly env: NodeJS.ProcessEnv }): Children {
  const alive = new Map<ChildProcess, Ended>()

  function start(program: string, args: readonly string[], cwd: string | undefined, env: NodeJS.ProcessEnv) {
    // A group of its own: whatever a program starts in turn is ended with it.
    const stdio = ['pipe', 'pipe', 'pipe'] as const
    const child = startProgram({
      file: program,
      args,
      cwd,
      env,
      stdio,
      detached: true,
    }) as ChildProcessWithoutNullStreams
    const said = { stderr: '' }
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said.stderr += text
    })
    // Told by `close`; a child that is gone does not hear us.
    child.stdin.on('error', () => {})
    const [gone, closed] = ['exit', 'close'].map((event) => once(child, event).catch(() => {})) as [Ended, Ended]
    // Until `close`: only then nobody is left who holds the other end of its pipes.
    alive.set(child, gone)
    void closed.then(() => alive.delete(child))
    return { child, said, closed }
  }

  return {
    async run(program, args, cwd) {
      const { child, said, closed } = start(program, args, cwd, options.env)
      let failure: Error | undefined
      child.once('error', (error) => {
        failure = error
      })
      let stdout = ''
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        stdout += text
      })
      child.stdin.end()
      await closed
      if (failure) throw failure
      return { code: child.exitCode, stdout, stderr: said.stderr.trim() }
    },
    play(args, env) {
      const { child, said, closed } = start(process.execPath, [options.cli, ...args], undefined, env)
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
      return {
        async heard() {
          const { value, done } = await lines.next()
          if (!done) return JSON.parse(value)
          await closed
          throw new PlayerGone(said.stderr.trim() || `it ended with ${child.exitCode ?? child.signalCode}`)
        },
        tell: (line) => void child.stdin.write(`${line}\n`),
        async kill() {
          endGroup(child)
          await closed
          return child.signalCode
        },
      }
    },
    async end() {
      for (const child of alive.keys()) endGroup(child)
      await Promise.all(alive.values())
    },
    endNow() {
      for (const child of alive.keys()) endGroup(child)
    },
  }
}

/** Could a program not be started because it is not there? The system says EACCES when it may not look everywhere. */
export function isNotInstalled(error: unknown): boolean {
  return ['ENOENT', 'EACCES'].includes(codeOf(error) ?? '')
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch (error) {
    // It has ended by itself.
    if (codeOf(error) !== 'ESRCH') throw error
  }
}

class PlayerGone extends TeamError {
  readonly code = 'doctor_process_gone'
  constructor(why: string) {
    super(`A process that doctor started ended before it had done its part: ${why}`)
  }
}
