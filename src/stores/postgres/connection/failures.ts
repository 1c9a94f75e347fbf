import { TeamError } from '../../../team/errors.ts'

/** The server cannot be reached, or went away and stayed away. What was written before is safe there. */
export class StoreUnreachable extends TeamError {
  readonly code = 'store_unreachable'
  /** May something have arrived before the line went dead? */
  readonly mayHaveArrived: boolean
  constructor(shown: string, cause: unknown, mayHaveArrived = false) {
    super(
      `Cannot reach PostgreSQL at ${shown}: ${reason(cause)}. ` +
        'Is it running, and does it accept connections from here? To work on this machine only: --store files',
      { cause },
    )
    this.mayHaveArrived = mayHaveArrived
  }
}

/** The server is there and says no: a wrong password, no such database, a missing right. */
export class StoreRefused extends TeamError {
  readonly code = 'store_refused'
  constructor(shown: string, cause: unknown, advice = 'Check user, password, database and rights.') {
    super(`PostgreSQL at ${shown} refused: ${reason(cause)}. ${advice}`, { cause })
  }
}

/** A newer deskmates made or changed these tables. */
export class StoreTooNew extends TeamError {
  readonly code = 'store_too_new'
  constructor(shown: string, schema: string, needs: string) {
    super(`The tables of schema ${schema} in ${shown} are of a newer version: install deskmates ${needs} or newer.`)
  }
}

/** This connection is of no use any more: nobody knows what became of what was sent on it. */
export class LineLost extends Error {
  /** False: it was lost before anything was sent. */
  readonly mayHaveArrived: boolean
  constructor(cause: unknown, mayHaveArrived: boolean) {
    super(reason(cause), { cause })
    this.mayHaveArrived = mayHaveArrived
  }
}

/** What the server itself said, with its five-character code; undefined for everything else. */
export function codeOf(error: unknown): string | undefined {
  // A pooler speaks for a server too, and leaves out the severity that is the same in every language.
  const { code, severity, severity_local } = (error ?? {}) as Partial<Record<string, unknown>>
  return typeof code === 'string' && typeof (severity ?? severity_local) === 'string' ? code : undefined
}

/** Did the server end the connection, or is it the wrong one to write to? Another one may be better. */
export function isAway(code: string): boolean {
  // 08 connection, 57P01-5 shutdown, 25006 a standby, 53300 too many connections.
  return code.startsWith('08') || code.startsWith('57P') || code === '25006' || code === '53300'
}

/** Rolled back for the sake of others: certainly nothing was written, and trying again helps. */
export function isWorthRepeating(code: string): boolean {
  return code === '40001' || code === '40P01'
}

export function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : String(cause)
}
