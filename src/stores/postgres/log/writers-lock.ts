import type { Connection, Parameter, Row } from '../connection/connection.ts'
import type { ConnectionPool } from '../connection/connection-pool.ts'
import type { Statements } from '../schema/statements.ts'
import type { SendHint } from './notifications.ts'
import type { LogReader } from './reader.ts'

/**
 * The lock that every append takes, kept from reading to writing, so that no other process can write in between. A writer
 * whose decision lost takes it for the next try, which wins, and for some decisions after it: on a busy log a try without
 * the lock is mostly in vain. The server grants it in the order of the requests, so mail and decisions of other processes
 * wait for one decision of each process before them at most.
 */
export interface WritersLock {
  readonly isHeld: boolean
  /**
   * Before a decision that lost `tries` times. On a busy log it waits for the lock and reads what was written before.
   * Without the lock in time the caller decides without it.
   */
  takeIfBusy(tries: number): Promise<void>
  /** Appends and releases the lock. Throws `ConnectionLost` if the outcome is unknown. */
  append(parameters: readonly Parameter[], sendHint?: SendHint): Promise<readonly Row[]>
  release(): void
}

/** A holder that has not written by then has nothing to write, or hangs. */
const MAX_HELD_MS = 200
/** After a lost try, so many decisions of this process are made under the lock, the next try included. */
const LOCKED_DECISIONS = 8

export function createWritersLock(reader: LogReader, pool: ConnectionPool, statements: Statements): WritersLock {
  let lockedLeft = 0
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
    async takeIfBusy(tries) {
      const { log, known } = reader
      if (tries > 0) lockedLeft = LOCKED_DECISIONS
      if (lockedLeft === 0 || log === undefined || !known) return
      lockedLeft--
      const connection = await pool.take()
      // Sent together, in one round trip. The read begins when the lock is granted, so it sees every commit before that.
      const answers = await Promise.allSettled([
        connection.run(`${begin(pool)}; ${statements.takeLock(log)}`, [], 'plain'),
        connection.run(statements.readByLog, [log, known.seq]),
      ])
      held = { connection, timer: setTimeout(release, MAX_HELD_MS) }
      const [locked, read] = answers
      if (locked.status === 'rejected' || read.status === 'rejected') {
        lockedLeft = 0
        return release()
      }
      try {
        reader.absorbLockedRead(known, read.value)
      } catch (error) {
        release()
        throw error
      }
    },
    async append(parameters, sendHint) {
      const connection = giveUp()
      if (!connection) throw new Error('The lock is not held.')
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
