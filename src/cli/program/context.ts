import type { AlarmClock } from '../../journal/clock.ts'
import type { PaintedPrompt } from '../../terminal/painted-prompt.ts'

/** Streams, environment and clock of one command. Passed in, so that a test runs a command without a process. */
export interface Context {
  readonly stdout: Output
  readonly stderr: Output
  /** stdout for a protocol whose messages are cleaned one by one: what redacts the whole text could break them. */
  readonly protocolOutput?: Output
  readonly stdin: AsyncIterable<Uint8Array | string>
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  /** Whether stdout is a terminal. Only then there are colours, headings and hints. */
  readonly isTerminal: boolean
  /** Whether stderr and stdin are terminals. Default: no. */
  readonly isStderrTerminal?: boolean
  readonly isStdinTerminal?: boolean
  /** Whether stdout was closed when the process began: Node then discards output silently. Default: no. */
  readonly isStdoutClosed?: boolean
  /** Aborts on Ctrl-C, SIGTERM or when the terminal closes. What is being written is finished first; what waits stops waiting. */
  readonly signal: AbortSignal
  readonly clock: AlarmClock
  /** The prompt of the conversation, where it is on the screen already. What asks a question on the terminal closes it before. */
  readonly prompt?: PaintedPrompt | undefined
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

/** One run of a command: its context and the global options. */
export interface Call extends Context {
  readonly globals: Globals
}
