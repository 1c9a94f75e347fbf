import type { Connection, Parameter, Row } from '../connection/connection.ts'
import type { ConnectionPool } from '../connection/connection-pool.ts'
import type { Statements } from '../schema/statements.ts'
import type { SendHint } from './notifications.ts'
import type { LogReader } from './reader.ts'

/**
 * The row lock (`SELECT … FOR UPDATE`) on the head of a log, kept from reading to writing, so that no other process can
 * decide in between. A writer whose decision lost three times takes it: its next try wins.
 */
export interface HeadRowLock {
  readonly isHeld: boolean
  /** Waits for the lock and reads what was written before. Without the lock in time the caller decides without it. */
  take(): Promise<void>
  /** Appends and releases the lock. Throws `ConnectionLost` if the outcome is unknown. */
  append(parameters: readonly Parameter[], sendHint?: SendHint): Promise<readonly Row[]>
  release(): void
}

/** A holder that has not written by then has nothing to write, or hangs. */
const MAX_HELD_MS = 200

export function createHeadRowLock(reader: LogReader, pool: ConnectionPool, statements: Statements): HeadRowLock {
  let held: { readonly connection: Connection; readonly timer: NodeJS.Timeout } | undefined

  /** The connection that holds the lock, which no longer counts as held. */
  function giveUp(): Connection | undefined {
    clearTimeout(held?.timer)
    const connection = held?.connection
    held = undefined
    return connection
  }

  function release(): void {
    const connection = giveUp()
    // If the rollback cannot be sent, the server ends the transaction when the connection closes or has been idle too long.
    const back = () => connection && pool.give(connection)
    connection?.run('rollback', [], 'plain').then(back, back)
  }

  return {
    get isHeld() {
      return held !== undefined
    },
    async take() {
      const { log, known } = reader
      if (log === undefined || !known) return
      const connection = await pool.take()
      // Sent together, in one round trip. The read begins when the lock is granted, so it sees every commit before that.
      const answers = await Promise.allSettled([
        connection.run(begin(pool), [], 'plain'),
        connection.run(statements.lockHead, [log]),
        connection.run(statements.readByLog, [log, known.seq]),
      ])
      held = { connection, timer: setTimeout(release, MAX_HELD_MS) }
      const [, , read] = answers
      if (answers.some(({ status }) => status === 'rejected') || read.status === 'rejected') return release()
      reader.absorbRead(known, read.value)
    },
    async append(parameters, sendHint) {
      const connection = giveUp()
      if (!connection) throw new Error('The head row is not locked.')
      const answers = [connection.run(statements.append, parameters), connection.run('commit', [], 'plain')] as const
      sendHint?.(connection)
      const [appended, committed] = await Promise.allSettled(answers)
      pool.give(connection)
      if (appended.status === 'rejected') throw appended.reason
      if (committed.status === 'rejected') throw committed.reason
      return appended.value
    },
    release,
  }
}

function begin({ timeouts, address }: ConnectionPool): string {
  if (!address.pooler) return 'begin isolation level read committed'
  // Behind a pooler the session has none of our settings.
  return `begin isolation level read committed; set local lock_timeout = ${timeouts.lock};
    set local statement_timeout = ${timeouts.statement}; set local idle_in_transaction_session_timeout = ${timeouts.idle}`
}
