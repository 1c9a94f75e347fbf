import type { Address } from './address.ts'
import {
  type Connection,
  type ConnectionEvents,
  openConnection,
  type Parameter,
  type Row,
  type Timeouts,
} from './connection.ts'
import {
  ConnectionLost,
  codeOf,
  isConnectionFailure,
  isRolledBack,
  reason,
  StoreRefused,
  StoreUnreachable,
} from './failures.ts'

/** All connections of one store except the listening one: opened when needed, given back after each statement. */
export interface ConnectionPool {
  readonly address: Address
  readonly timeouts: Timeouts
  /**
   * Runs one statement that may safely run twice. If the connection is lost, the statement is sent again on another, to
   * the host that is the primary by then, until `timeouts.server` is over. `wasSent`: it may have arrived before.
   * `afterSending` may send more on the same connection, in the same round trip.
   */
  ask(
    text: string,
    parameters?: readonly Parameter[],
    more?: { readonly wasSent?: boolean; readonly afterSending?: ((connection: Connection) => void) | undefined },
  ): Promise<readonly Row[]>
  /** A connection for several statements; return it with `give`. */
  take(): Promise<Connection>
  give(connection: Connection): void
  /** A connection outside the pool. */
  open(events?: ConnectionEvents): Promise<Connection>
  close(): void
}

const MAX_CONNECTIONS = 8
/** An unused connection is closed: servers allow few. */
const MAX_IDLE_MS = 30_000
const MAX_RETRY_DELAY_MS = 250
const POOLER_ADVICE = 'If there is a pooler in between, add pooler=1 to the address.'
const MIN_SERVER_VERSION = 140_000

export function createConnectionPool(address: Address, timeouts: Timeouts): ConnectionPool {
  const idle: { connection: Connection; timer: NodeJS.Timeout }[] = []
  const all = new Set<Connection>()
  const waiting: (() => void)[] = []
  let opening = 0
  let primary = 0
  let isClosed = false

  async function open(events: ConnectionEvents = {}): Promise<Connection> {
    let failure: unknown
    for (let tries = 0; tries < address.hosts.length; tries++) {
      const index = (primary + tries) % address.hosts.length
      try {
        const connection = await openConnection(address, address.hosts[index]!, timeouts, events)
        try {
          await checkServer(connection)
        } catch (error) {
          connection.end()
          throw error
        }
        primary = index
        return connection
      } catch (error) {
        const code = codeOf(error)
        const first = error instanceof ConnectionLost ? error.cause : error
        if (codeOf(first) === '08P01' && !address.pooler) throw new StoreRefused(address.shown, first, POOLER_ADVICE)
        if (error instanceof StoreRefused || (code !== undefined && !isConnectionFailure(code)))
          throw error instanceof StoreRefused ? error : new StoreRefused(address.shown, error)
        failure = error
      }
    }
    throw new ConnectionLost(failure, false)
  }

  /** Throws if the promises of the store cannot be kept on this server. */
  async function checkServer(connection: Connection): Promise<void> {
    const [server] = await connection.run(SERVER_PROPERTIES, [], 'plain')
    if (server?.standby) throw new Error('the server is a standby, which accepts no writes')
    const wrong =
      Number(server?.version) < MIN_SERVER_VERSION
        ? 'it is older than PostgreSQL 14'
        : server?.encoding !== 'UTF8'
          ? `its encoding is ${server?.encoding}, not UTF8`
          : server?.isolation !== 'read committed'
            ? `its default_transaction_isolation is ${server?.isolation}; set it to read committed for this user`
            : undefined
    if (wrong) throw new StoreRefused(address.shown, wrong, 'Use another database.')
  }

  async function take(): Promise<Connection> {
    for (;;) {
      if (isClosed) throw new ConnectionLost(new Error('the store is closed'), false)
      const kept = idle.pop()
      if (kept) {
        clearTimeout(kept.timer)
        if (kept.connection.isOpen) return kept.connection
        drop(kept.connection)
      } else if (all.size + opening < MAX_CONNECTIONS) {
        opening++
        try {
          const connection = await open()
          all.add(connection)
          if (!isClosed) return connection
          drop(connection)
        } finally {
          opening--
          if (all.size + opening < MAX_CONNECTIONS) waiting.shift()?.()
        }
      } else await new Promise<void>((resolve) => waiting.push(resolve))
    }
  }

  function give(connection: Connection): void {
    if (!connection.isOpen || isClosed) drop(connection)
    else idle.push({ connection, timer: setTimeout(retire, MAX_IDLE_MS, connection).unref() })
    waiting.shift()?.()
  }

  function retire(connection: Connection): void {
    const index = idle.findIndex((kept) => kept.connection === connection)
    if (index >= 0) idle.splice(index, 1)
    drop(connection)
  }

  function drop(connection: Connection): void {
    all.delete(connection)
    connection.end()
  }

  async function askOnce(
    text: string,
    parameters: readonly Parameter[],
    afterSending?: (connection: Connection) => void,
  ): Promise<readonly Row[]> {
    const connection = await take()
    try {
      const answer = connection.run(text, parameters)
      afterSending?.(connection)
      return await answer
    } finally {
      give(connection)
    }
  }

  return {
    address,
    timeouts,
    take,
    give,
    open,
    async ask(text, parameters = [], { wasSent = false, afterSending } = {}) {
      const until = performance.now() + timeouts.server
      let mayHaveArrived = wasSent
      for (let pause = 0; ; pause = Math.min(pause * 2 + 10, MAX_RETRY_DELAY_MS)) {
        try {
          return await askOnce(text, parameters, afterSending)
        } catch (error) {
          if (error instanceof ConnectionLost) mayHaveArrived ||= error.mayHaveArrived
          // After a first sending that may have arrived, a time-out proves nothing: that one may hold the lock.
          else if (!isRolledBack(codeOf(error) ?? '') && !(mayHaveArrived && isTimeOut(error))) throw error
          if (isClosed || performance.now() > until) throw new StoreUnreachable(address.shown, error, mayHaveArrived)
        }
        if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause))
      }
    },
    close() {
      isClosed = true
      for (const { timer } of idle.splice(0)) clearTimeout(timer)
      for (const connection of [...all]) drop(connection)
      for (const wake of waiting.splice(0)) wake()
    },
  }
}

/** The lock was not granted in time, or the server was too slow: certainly nothing was written. */
export function isTimeOut(error: unknown): boolean {
  return ['55P03', '57014'].includes(codeOf(error) ?? '')
}

/** Says what a time-out of the server means to a reader who does not know the statement. */
export function readableError(error: unknown): unknown {
  if (!isTimeOut(error)) return error
  return new Error(`another transaction has held it for too long (${reason(error)})`, { cause: error })
}

const SERVER_PROPERTIES = `select pg_catalog.pg_is_in_recovery() as standby,
  pg_catalog.current_setting('server_version_num')::int as version,
  pg_catalog.current_setting('server_encoding') as encoding,
  pg_catalog.current_setting('transaction_isolation') as isolation`
