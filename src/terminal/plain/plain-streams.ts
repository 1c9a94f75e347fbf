import type { Readable, Writable } from 'node:stream'

/** Where plain lines are read from and written to. */
export interface PlainStreams {
  readonly input: Readable
  readonly output: Writable
  /** A line is broken at so many columns. */
  readonly columns: number
}

const PLAIN_COLUMNS = 80

/** Nothing is drawn again: the terminal cannot, or the user asked for it. */
export function isPlain({ TERM }: NodeJS.ProcessEnv, isScreenReader = false): boolean {
  return isScreenReader || TERM === 'dumb'
}

export function plainStreams(): PlainStreams {
  const { stdin: input, stdout: output } = process
  return { input, output, columns: output.columns ?? PLAIN_COLUMNS }
}
