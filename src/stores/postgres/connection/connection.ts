import { connect, type Socket } from 'node:net'
import postgres from 'postgres'
import type { Address, Host } from './address.ts'
import { ConnectionLost, codeOf, isConnectionFailure } from './failures.ts'
import { startTls } from './tls.ts'

export type Row = Readonly<Record<string, string | number | boolean | null>>

/** In milliseconds. */
export interface Timeouts {
  /** To open a connection. */
  readonly connect: number
  /** One statement on the server. */
  readonly statement: number
  /** To wait for a row that another transaction has locked. */
  readonly lock: number
  /** The server ends a transaction that is idle for longer. */
  readonly idle: number
  /** To wait for an unreachable server to come back. */
  readonly server: number
}

/**
 * One connection. The first failure of any kind closes it, and the pool opens a new one: the reconnecting of the driver
 * would hide which statements may have arrived.
 */
export interface Connection {
  readonly isOpen: boolean
  run(text: string, parameters?: readonly Parameter[], mode?: Mode): Promise<readonly Row[]>
  end(): void
}

/** Arrays are passed as literals, see `arrayOf`. */
export type Parameter = string | number | boolean | null

/** `prepared`: the server plans the statement once. `plain`: several statements in one message. */
export type Mode = 'prepared' | 'plain'

/** The server's own time-out comes first; when no answer comes this much later, the link is dead. */
const ANSWER_GRACE_MS = 1000

export interface ConnectionEvents {
  notified?(channel: string, payload: string): void
  lost?(): void
}

export async function openConnection(
  address: Address,
  host: Host,
  timeouts: Timeouts,
  events: ConnectionEvents = {},
): Promise<Connection> {
  const socket = await startTls(await dial(host, timeouts.connect), host, address.tls, timeouts.connect)
  let isOpen = true
  let isTaken = false
  let isUnconfirmed = false
  /** The driver asks a second time when it wants to reconnect by itself. */
  const take = async () => {
    if (isTaken || socket.destroyed) throw new Error('the connection was closed')
    isTaken = true
    return socket
  }
  const options = {
    // As lists: the driver would cut an IPv6 address at its colons.
    host: [host.name],
    port: [host.port],
    database: address.database,
    ...(address.user !== undefined && { username: address.user }),
    ...(address.password !== undefined && { password: address.password }),
    // tls.ts has done it. Without this the driver reads it from the environment.
    ssl: false,
    max: 1,
    fetch_types: false,
    idle_timeout: undefined,
    max_lifetime: null,
    connect_timeout: Math.ceil(timeouts.connect / 1000),
    prepare: !address.pooler,
    connection: { ...settings(address, timeouts), ...address.settings } as Record<string, string>,
    socket: take,
    onnotice(notice: { routine?: string }) {
      // The commit is on this server, but no synchronous standby has confirmed it.
      if (notice.routine === 'SyncRepWaitForLSN') isUnconfirmed = true
    },
    onnotify: (channel: string, payload: string) => events.notified?.(channel, payload),
    onclose: end,
  }
  const sql = postgres(options as unknown as postgres.Options<Record<string, never>>)

  function end(): void {
    if (!isOpen) return
    isOpen = false
    socket.destroy()
    // Rejects every statement that still waits for an answer.
    sql.end({ timeout: 0 }).catch(() => {})
    events.lost?.()
  }

  async function run(text: string, parameters: readonly Parameter[] = [], mode: Mode = 'prepared') {
    if (!isOpen) throw new ConnectionLost(new Error('the connection was closed'), false)
    isUnconfirmed = false
    const late = setTimeout(
      () => socket.destroy(new Error('the server did not answer')),
      Math.max(timeouts.statement, timeouts.connect) + ANSWER_GRACE_MS,
    )
    try {
      const options = { prepare: mode === 'prepared' && !address.pooler, simple: mode === 'plain' }
      const rows = (await sql.unsafe(text, parameters as never[], options as { prepare: boolean })) as unknown as Row[]
      if (isUnconfirmed) throw new ConnectionLost(new Error('no standby confirmed it in time'), true)
      return rows
    } catch (error) {
      const code = codeOf(error)
      if (code !== undefined && !isConnectionFailure(code)) throw error
      end()
      throw error instanceof ConnectionLost ? error : new ConnectionLost(error, code !== '25006' && code !== '53300')
    } finally {
      clearTimeout(late)
    }
  }

  return {
    get isOpen() {
      return isOpen
    },
    run,
    end,
  }
}

/** Sets everything that a session could inherit from a role or a database and that would break a promise. */
function settings({ pooler }: Address, { statement, lock, idle }: Timeouts): Record<string, string | number> {
  const application_name = 'deskmates'
  if (pooler) return { application_name }
  return {
    application_name,
    default_transaction_isolation: 'read committed',
    statement_timeout: statement,
    lock_timeout: lock,
    idle_in_transaction_session_timeout: idle,
    // Every statement uses an index; a planner without statistics yet might choose a scan.
    enable_seqscan: 'off',
    enable_bitmapscan: 'off',
    jit: 'off',
    // The best plan does not depend on the parameters, so it is made once.
    plan_cache_mode: 'force_generic_plan',
  }
}

/** Opens the socket itself, so that a dead link can be closed without waiting for the other side. */
function dial({ name, port }: Host, timeout: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = name.startsWith('/')
      ? connect({ path: `${name}/.s.PGSQL.${port}` })
      : connect({ host: name, port, noDelay: true })
    const late = setTimeout(() => socket.destroy(new Error(`${name}:${port} does not answer`)), timeout)
    // Never removed: the socket may fail while the driver has no listener.
    socket.on('error', (error) => {
      clearTimeout(late)
      reject(error)
    })
    socket.once('connect', () => {
      clearTimeout(late)
      resolve(socket)
    })
  })
}
