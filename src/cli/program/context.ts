import type { AlarmClock } from '../../journal/clock.ts'

/** The world as one run of a command sees it. Handed in, so that a test runs a command without a process. */
export interface Context {
  readonly stdout: Output
  readonly stderr: Output
  readonly stdin: AsyncIterable<Uint8Array | string>
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  /** Does a person look at stdout? Only then there are colours, headings and hints. */
  readonly isTerminal: boolean
  /** Does a person look at stderr, or type on stdin? Left out: no. */
  readonly isStderrTerminal?: boolean
  readonly isStdinTerminal?: boolean
  /** Was stdout closed when the process began? Node then writes into nothing without saying so. Left out: no. */
  readonly isStdoutClosed?: boolean
  /** Aborts on Ctrl-C, SIGTERM or when the terminal closes. What is being written is finished first; what waits stops waiting. */
  readonly signal: AbortSignal
  readonly clock: AlarmClock
}

export interface Output {
  /** Of a terminal; it may change while we run. */
  readonly columns?: number | undefined
  readonly rows?: number | undefined
  write(text: string, done: (error?: Error | null) => void): unknown
  /** Writes what was held back; rejects if that fails. */
  flush?(): Promise<void>
}

/** Options that every command takes, before or after its name. */
export interface Globals {
  readonly team?: string
  readonly cwd?: string
  readonly store?: string
  readonly commandId?: string
  readonly json: boolean
}

/** One run of a command: the world and what was asked of all commands alike. */
export interface Call extends Context {
  readonly globals: Globals
}
