import { connect, type Socket } from 'node:net'
import postgres from 'postgres'
import type { Address, Host } from './address.ts'
import { codeOf, isAway, LineLost } from './failures.ts'
import { secure } from './tls.ts'

export type Row = Readonly<Record<string, string | number | boolean | null>>

/** Time-outs in milliseconds. */
export interface Patience {
  /** Until a connection is there. */
  readonly connect: number
  /** For one statement on the server. */
  readonly statement: number
  /** For somebody else's transaction to let go of a log. */
  readonly lock: number
  /** A transaction of ours that does nothing is ended by the server. */
  readonly idle: number
  /** For a server that went away to come back. */
  readonly server: number
}

/**
 * One connection. The first failure of any kind ends it, and a new one takes its place: a driver's own reconnecting
 * would hide which statements may have arrived.
 */
export interface Line {
  readonly isOpen: boolean
  run(text: string, parameters?: readonly Parameter[], mode?: Mode): Promise<readonly Row[]>
  end(): void
}

/** Arrays are handed over as PostgreSQL writes them, see `arrayOf`. */
export type Parameter = string | number | boolean | null

/** `prepared`: kept by the server, so that it is planned once. `plain`: several statements in one go. */
export type Mode = 'prepared' | 'plain'

/** How much longer than the server's own time-out we wait for an answer, in milliseconds: then the link is cut. */
const GRACE = 1000

export async function openLine(
  address: Address,
  host: Host,
  patience: Patience,
  heard: { notice?(channel: string, payload: string): void; lost?(): void } = {},
): Promise<Line> {
  const socket = await secure(await dial(host, patience.connect), host, address.tls, patience.connect)
  let isOpen = true
  let isTaken = false
  let isDoubtful = false
  /** Asked a second time the driver wants to connect again by itself, to a socket that is gone. */
  const take = async () => {
    if (isTaken || socket.destroyed) throw new Error('the connection was closed')
    isTaken = true
    return socket
  }
  const options = {
    // As lists, because a name of numbers and colons would be cut at its colons.
    host: [host.name],
    port: [host.port],
    database: address.database,
    ...(address.user !== undefined && { username: address.user }),
    ...(address.password !== undefined && { password: address.password }),
    // Done already, see secure.ts. Said, because it would be taken from the environment.
    ssl: false,
    max: 1,
    fetch_types: false,
    idle_timeout: undefined,
    max_lifetime: null,
    connect_timeout: Math.ceil(patience.connect / 1000),
    prepare: !address.pooler,
    connection: { ...settings(address, patience), ...address.settings } as Record<string, string>,
    socket: take,
    onnotice(notice: { routine?: string }) {
      // Committed here, and not yet where a committed record was promised to be as well.
      if (notice.routine === 'SyncRepWaitForLSN') isDoubtful = true
    },
    onnotify: (channel: string, payload: string) => heard.notice?.(channel, payload),
    onclose: end,
  }
  const sql = postgres(options as unknown as postgres.Options<Record<string, never>>)

  function end(): void {
    if (!isOpen) return
    isOpen = false
    socket.destroy()
    // It has nothing left to wait for; what it still holds is rejected.
    sql.end({ timeout: 0 }).catch(() => {})
    heard.lost?.()
  }

  async function run(text: string, parameters: readonly Parameter[] = [], mode: Mode = 'prepared') {
    if (!isOpen) throw new LineLost(new Error('the connection was closed'), false)
    isDoubtful = false
    const late = setTimeout(
      () => socket.destroy(new Error('no answer from the server')),
      Math.max(patience.statement, patience.connect) + GRACE,
    )
    try {
      const options = { prepare: mode === 'prepared' && !address.pooler, simple: mode === 'plain' }
      const rows = (await sql.unsafe(text, parameters as never[], options as { prepare: boolean })) as unknown as Row[]
      if (isDoubtful) throw new LineLost(new Error('no standby confirmed it in time'), true)
      return rows
    } catch (error) {
      const code = codeOf(error)
      if (code !== undefined && !isAway(code)) throw error
      end()
      throw error instanceof LineLost ? error : new LineLost(error, code !== '25006' && code !== '53300')
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

/** Everything a session could inherit from a role or a database is said: none of it may change what we promise. */
function settings({ pooler }: Address, { statement, lock, idle }: Patience): Record<string, string | number> {
  const application_name = 'deskmates'
  if (pooler) return { application_name }
  return {
    application_name,
    default_transaction_isolation: 'read committed',
    statement_timeout: statement,
    lock_timeout: lock,
    idle_in_transaction_session_timeout: idle,
    // Every statement of ours walks along an index. A planner that has no statistics yet must not think otherwise.
    enable_seqscan: 'off',
    enable_bitmapscan: 'off',
    jit: 'off',
    // Which way that is does not depend on the parameters, so it is planned once and not each time.
    plan_cache_mode: 'force_generic_plan',
  }
}

/** The socket is ours, so that a link that was cut can be given up without asking the other side. */
function dial({ name, port }: Host, atMost: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = name.startsWith('/')
      ? connect({ path: `${name}/.s.PGSQL.${port}` })
      : connect({ host: name, port, noDelay: true })
    const late = setTimeout(() => socket.destroy(new Error(`${name}:${port} does not answer`)), atMost)
    // Kept for the life of the socket: it may fail at a moment when the driver does not listen.
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
