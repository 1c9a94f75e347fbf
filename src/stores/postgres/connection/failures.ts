import { TeamError } from '../../../team/errors.ts'

/** The server cannot be reached, or did not come back in time. */
export class StoreUnreachable extends TeamError {
  readonly code = 'store_unreachable'
  /** Whether the statement may have been carried out before the connection was lost. */
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

/** The server answers with a refusal: wrong password, no such database, a missing right. */
export class StoreRefused extends TeamError {
  readonly code = 'store_refused'
  constructor(shown: string, cause: unknown, advice = 'Check user, password, database and rights.') {
    super(`PostgreSQL at ${shown} refused: ${reason(cause)}. ${advice}`, { cause })
  }
}

/** A newer deskmates created or changed the tables. */
export class StoreTooNew extends TeamError {
  readonly code = 'store_too_new'
  constructor(shown: string, schema: string, needs: string) {
    super(`The tables of schema ${schema} in ${shown} have a newer version. Install deskmates ${needs} or newer.`)
  }
}

/** The connection was closed; the outcome of a statement that was sent on it is unknown. */
export class ConnectionLost extends Error {
  /** False: the connection was lost before anything was sent. */
  readonly mayHaveArrived: boolean
  constructor(cause: unknown, mayHaveArrived: boolean) {
    super(reason(cause), { cause })
    this.mayHaveArrived = mayHaveArrived
  }
}

/** The five-character code of an error that the server reported; undefined for any other error. */
export function codeOf(error: unknown): string | undefined {
  // A pooler reports errors too, but without the `severity` that is not translated.
  const { code, severity, severity_local } = (error ?? {}) as Partial<Record<string, unknown>>
  return typeof code === 'string' && typeof (severity ?? severity_local) === 'string' ? code : undefined
}

/** The server closed the connection or accepts no writes: another connection or host may work. */
export function isConnectionFailure(code: string): boolean {
  // 08 connection, 57P01-5 shutdown, 25006 a standby, 53300 too many connections.
  return code.startsWith('08') || code.startsWith('57P') || code === '25006' || code === '53300'
}

/** Serialization failure or deadlock: certainly nothing was written, and a retry helps. */
export function isRolledBack(code: string): boolean {
  return code === '40001' || code === '40P01'
}

export function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : String(cause)
}
