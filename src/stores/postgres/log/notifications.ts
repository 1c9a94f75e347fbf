import type { Connection } from '../connection/connection.ts'
import type { ConnectionPool } from '../connection/connection-pool.ts'
import { reason } from '../connection/failures.ts'
import type { Statements } from '../schema/statements.ts'

/** Hints that a log has grown, by LISTEN and NOTIFY. A hint may be lost, so every reader also polls. */
export interface Notifications {
  /** `log` is the number of a log that has grown; undefined means that any log may have. Returns what ends it. */
  subscribe(listener: (log: number | undefined) => void): () => void
  /** Notifies other processes soon. */
  notify(log: number): void
  /** Sends the hint directly after an append, on the same connection; undefined if a hint was sent a moment ago. */
  hintFor(log: number): SendHint | undefined
  /** Resolves when every hint was sent. */
  flush(): Promise<void>
  close(): void
}

/** Sends the hint on a connection that is still busy with the append. Its answer is not awaited. */
export type SendHint = (connection: Connection) => void

/** A burst of records becomes one hint. */
const DEBOUNCE_MS = 10
const FIRST_RETRY_MS = 10
const MAX_RETRY_MS = 2000
const HEARTBEAT_MS = 30_000
/** A payload of NOTIFY has at most 8000 bytes. */
const MAX_LOGS_PER_HINT = 500

/**
 * One listening connection for the whole store, opened with the first subscription. NOTIFY is sent after the commit of an
 * append and never inside it: at commit it takes a lock that all databases of the server share.
 */
export function createNotifications(
  pool: ConnectionPool,
  statements: Statements,
  warn: (message: string) => void,
): Notifications {
  const { schema, pooler, shown } = pool.address
  const listeners = new Set<(log: number | undefined) => void>()
  const pending = new Set<number>()
  let sending: Promise<void> = Promise.resolve()
  let debounce: NodeJS.Timeout | undefined
  let connection: Connection | undefined
  let isListening = pooler
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let retryDelay = FIRST_RETRY_MS

  const callListeners = (log: number | undefined) => {
    for (const listener of [...listeners]) listener(log)
  }

  async function listen(): Promise<void> {
    try {
      const opened = await pool.open({
        notified(_channel, payload) {
          for (const log of payload.split(',')) callListeners(Number(log))
        },
        lost: () => retry(),
      })
      connection = opened
      if (isClosed) return opened.end()
      await opened.run(`listen "${schema}"`, [], 'plain')
      timer = setInterval(() => opened.run('select 1', [], 'plain').catch(() => {}), HEARTBEAT_MS).unref()
      retryDelay = FIRST_RETRY_MS
      // Records that were committed before LISTEN came without a hint.
      callListeners(undefined)
    } catch (error) {
      if (connection?.isOpen) {
        connection.end()
        connection = undefined
        warn(`PostgreSQL at ${shown} refuses LISTEN (${reason(error)}), so changes are seen every 2 seconds only.`)
      } else if (!connection) retry()
    }
  }

  function retry(): void {
    clearInterval(timer)
    connection = undefined
    if (isClosed) return
    timer = setTimeout(listen, retryDelay).unref()
    retryDelay = Math.min(retryDelay * 2, MAX_RETRY_MS)
  }

  function startDebounce(): void {
    debounce = setTimeout(() => {
      debounce = undefined
      if (pending.size > 0) sendPending()
    }, DEBOUNCE_MS).unref()
  }

  function sendPending(): void {
    const logs = [...pending].slice(0, MAX_LOGS_PER_HINT)
    for (const log of logs) pending.delete(log)
    startDebounce()
    sending = pool.take().then(
      async (free) => {
        await send(free, logs)
        pool.give(free)
      },
      () => {},
    )
  }

  async function send(free: Connection, logs: readonly number[]): Promise<void> {
    try {
      await free.run(statements.notify, [schema, logs.join(',')])
    } catch {
      // Readers poll: a lost hint costs them time only.
    }
  }

  return {
    subscribe(listener) {
      listeners.add(listener)
      if (!isListening) {
        isListening = true
        void listen()
      }
      return () => void listeners.delete(listener)
    },
    notify(log) {
      if (isClosed) return
      pending.add(log)
      if (!debounce) sendPending()
    },
    hintFor(log) {
      // A pooler gives the connection to another client after a commit, so a statement sent behind it would be lost.
      if (isClosed || debounce || pooler) return undefined
      startDebounce()
      return (busy) => {
        sending = send(busy, [log])
      }
    },
    async flush() {
      if (pending.size > 0) sendPending()
      await sending
    },
    close() {
      isClosed = true
      clearTimeout(debounce)
      clearInterval(timer)
      connection?.end()
    },
  }
}
