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

/** Our own command line in another process, which prints lines of JSON. */
export interface DoctorProcess {
  /** The next line it prints. Rejects if it ends first. */
  nextMessage(): Promise<unknown>
  send(line: string): void
  /** Sends SIGKILL. Resolves, when the process is gone, to the signal that ended it. */
  kill(): Promise<NodeJS.Signals | null>
}

/** The processes that an examination starts: each known by its own handle, and none outlives it. */
export interface Children {
  /** Runs a program to its end. Rejects if it cannot be started. */
  run(program: string, args: readonly string[], cwd: string): Promise<Ran>
  /** Starts one of our own processes. It ends when its stdin closes, so it does not outlive this one. */
  play(args: readonly string[], env: NodeJS.ProcessEnv): DoctorProcess
  /** Ends the remaining processes, and resolves when all are gone. */
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
    const output = { stderr: '' }
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output.stderr += text
    })
    // `close` reports it; a child that is gone cannot receive input.
    child.stdin.on('error', () => {})
    const [gone, closed] = ['exit', 'close'].map((event) => once(child, event).catch(() => {})) as [Ended, Ended]
    // Until `close`: only then no process holds the other end of its pipes.
    alive.set(child, gone)
    void closed.then(() => alive.delete(child))
    return { child, output, closed }
  }

  return {
    async run(program, args, cwd) {
      const { child, output, closed } = start(program, args, cwd, options.env)
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
      return { code: child.exitCode, stdout, stderr: output.stderr.trim() }
    },
    play(args, env) {
      const { child, output, closed } = start(process.execPath, [options.cli, ...args], undefined, env)
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
      return {
        async nextMessage() {
          const { value, done } = await lines.next()
          if (!done) return JSON.parse(value)
          await closed
          throw new DoctorProcessGone(output.stderr.trim() || `it ended with ${child.exitCode ?? child.signalCode}`)
        },
        send: (line) => void child.stdin.write(`${line}\n`),
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

/** Whether a program is not installed. The system reports EACCES where it may not search every folder. */
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

class DoctorProcessGone extends TeamError {
  readonly code = 'doctor_process_gone'
  constructor(why: string) {
    super(`A process that doctor started ended before it had done its part: ${why}`)
  }
}
