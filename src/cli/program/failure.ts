import { SessionRefused } from '../../supervisor/lead/take-lead.ts'
import { TeamError } from '../../team/errors.ts'
import { isRefusal, type Refusal } from '../../team/refusal.ts'
import { refusalForPerson } from '../refusal-text.ts'
import type { Context } from './context.ts'
import { version } from './version.ts'

export { Misused } from './misused.ts'

export const EXIT = { done: 0, failed: 1, misused: 2, limit: 3, leftOpen: 4, interrupted: 130 } as const

/** The team refused the command; nothing was written. */
export class Refused extends TeamError {
  readonly code: string
  constructor({ code, message }: { code: string; message: string }) {
    super(message)
    this.code = code
  }
}

/** The output could not be written: its reader is gone, or the disk is full. */
export class OutputClosed extends TeamError {
  readonly code = 'output_closed'
  readonly isReaderGone: boolean
  /** What happened to the work itself; undefined until a command adds it. */
  readonly outcome: string | undefined
  constructor(cause: unknown, outcome?: string) {
    const { code, message } = cause as NodeJS.ErrnoException
    const isReaderGone = code === 'EPIPE' || code === 'ECONNRESET' || code === 'ERR_STREAM_DESTROYED'
    const why = isReaderGone ? `its reader is gone (${code})` : message
    super(`The output could not be written: ${why}.${outcome === undefined ? '' : ` ${outcome}`}`, { cause })
    this.isReaderGone = isReaderGone
    this.outcome = outcome
  }

  /** The same error with what happened to the work and what to do now, unless it has that already. */
  withOutcome(outcome: string): OutputClosed {
    return this.outcome === undefined ? new OutputClosed(this.cause, outcome) : this
  }
}

/** The answer; a refusal is thrown, because the command line can only report it. */
export function granted<T extends object>(result: T | Refusal): T {
  if (isRefusal(result)) throw refused(result)
  return result as T
}

export function refused(refusal: Refusal): Refused {
  return new Refused({ code: refusal.code, message: refusalForPerson(refusal) })
}

/** Code, message and exit code of a failed command. A stack only with DESKMATES_DEBUG. */
export function explain(error: unknown, env: Context['env']): { code: string; message: string; exit: number } {
  const debug = env.DESKMATES_DEBUG && error instanceof Error ? `\n${error.stack}` : ''
  if (error instanceof TeamError) {
    const exit = [
      'misused',
      'not_a_folder',
      'bad_store_address',
      'wrong_rule',
      'session_taken',
      'mcp_config_wrong',
    ].includes(error.code)
      ? EXIT.misused
      : EXIT.failed
    const message = error instanceof SessionRefused ? refusalForPerson(error.refusal) : error.message
    return { code: error.code, message: message + debug, exit }
  }
  if (error instanceof Error && 'syscall' in error && 'code' in error) {
    const path = 'path' in error && typeof error.path === 'string' ? ` ${error.path}` : ''
    const message = `The operating system refused ${error.syscall}${path}: ${error.message}.`
    return { code: String(error.code).toLowerCase(), message: message + debug, exit: EXIT.failed }
  }
  const what = error instanceof Error ? error.message : String(error)
  const where = `deskmates ${version}, node ${process.version}, ${process.platform}`
  const message = `${what}\nThis is a bug. Please report it with this line and what you ran (${where}; DESKMATES_DEBUG=1 shows where).`
  return { code: 'bug', message: message + debug, exit: EXIT.failed }
}

/** Whether the caller wants JSON. Read from the raw arguments, because the command line itself may be invalid. */
export function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  const words = argv.slice(0, end < 0 ? undefined : end)
  return words.some((word, i) => {
    if (word === '--json') return true
    const [, format = words[i + 1]] = /^--output-format(?:=(.*))?$/.exec(word) ?? [undefined, '']
    return isJson(format)
  })
}

/** Of `--output-format`. */
export function isJson(format: unknown): boolean {
  return format === 'json' || format === 'stream-json'
}
