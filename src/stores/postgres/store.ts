import type { LogName, Store } from '../../journal/log/store.ts'
import { teamOf } from '../log-name.ts'
import { warnOnStderr } from '../warning.ts'
import { parseAddress } from './connection/address.ts'
import type { Timeouts } from './connection/connection.ts'
import { createConnectionPool } from './connection/connection-pool.ts'
import { createPostgresLog } from './log/log.ts'
import { createNotifications } from './log/notifications.ts'
import { createLogReader, type LogReader } from './log/reader.ts'
import { openPresence } from './presence.ts'
import { ensureSchema } from './schema/schema.ts'
import { createStatements } from './schema/statements.ts'

export interface PostgresStoreOptions {
  /**
   * `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, several hosts separated by commas. Our own parameters: `schema`
   * (by default deskmates) and `pooler=1`.
   */
  readonly url: string
  /** Features of records that this reader knows; a record that needs another one ends the reading. */
  readonly knows?: readonly string[]
  /** Milliseconds between two reads of a log without a hint. */
  readonly poll?: number
  /** Milliseconds for which a process counts as alive after a renewal; it renews three times as often. */
  readonly lease?: number
  readonly timeouts?: Partial<Timeouts>
  readonly warn?: (message: string) => void
}

const TIMEOUTS: Timeouts = { connect: 5000, statement: 10_000, lock: 5000, idle: 2000, server: 15_000 }

const CLOSE_TIMEOUT_MS = 1000

/** Teams in a PostgreSQL database, shared by all machines that can reach it. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { url, knows = [], poll = 2000, lease = 30_000, warn = warnOnStderr } = options
  const address = parseAddress(url)
  const pool = createConnectionPool(address, { ...TIMEOUTS, ...options.timeouts })
  const statements = createStatements(address.schema)
  const notifications = createNotifications(pool, statements, warn)
  const presence = await ensureSchema(pool)
    .then(() => openPresence(pool, statements, lease))
    .catch((error) => {
      pool.close()
      throw error
    })
  const features = new Set(knows)
  const readers = new Map<LogName, SharedReader>()
  const handles = new Set<{ close(): Promise<void> }>()

  async function readerOf(name: LogName): Promise<SharedReader> {
    const found = readers.get(name)
    if (found && (await found.reader.isCurrent())) return found
    const path = `${address.shown} ${name}`
    const made = {
      reader: createLogReader({ name, path, pool, statements, notifications, knows: features, poll }),
      handles: 0,
    }
    readers.set(name, made)
    return made
  }

  const store: Store = {
    presence,
    warn,
    async log(name, { longTexts = false } = {}) {
      teamOf(name)
      const shared = await readerOf(name)
      shared.handles++
      const log = createPostgresLog({
        reader: shared.reader,
        pool,
        statements,
        notifications,
        knows: features,
        longTexts,
        poll,
        warn,
        onWrite: presence.wrote,
        reopen: () => store.log(name, { longTexts }),
        onClose() {
          handles.delete(log)
          if (--shared.handles === 0 && readers.get(name) === shared) readers.delete(name)
        },
      })
      handles.add(log)
      return log
    },
    async teams() {
      const rows = await pool.ask(statements.teams)
      return rows.map(({ name }) => String(name).slice(0, -'/journal'.length)).sort()
    },
    async remove(team, purge) {
      const removed = await pool.ask(statements.remove, [team])
      if (!purge) return
      for (const { log } of removed) {
        for (const table of ['records', 'bodies'] as const) {
          for (let gone = 1; gone > 0; ) {
            const [row] = await pool.ask(statements.purgeSome(table), [String(log)])
            gone = Number(row?.gone)
          }
        }
        await pool.ask(statements.purgeRest, [String(log)])
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...handles].map((handle) => handle.close()))
      // Both only spare other processes a wait, so an unreachable server is not waited for.
      const notified = Promise.allSettled([notifications.flush(), presence.leave()])
      await Promise.race([notified, new Promise((resolve) => setTimeout(resolve, CLOSE_TIMEOUT_MS).unref())])
      notifications.close()
      pool.close()
    },
  }
  return store
}

interface SharedReader {
  readonly reader: LogReader
  /** Open handles that use it. */
  handles: number
}
