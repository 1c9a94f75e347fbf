import type { LogName, Store } from '../../journal/store.ts'
import { plainText } from '../../redaction/plain-text.ts'
import { parseAddress } from './connection/address.ts'
import type { Patience } from './connection/connection.ts'
import { createLines } from './connection/connection-pool.ts'
import { createNews } from './connection/notifications.ts'
import { createPostgresLog } from './log/log.ts'
import { createSharedLog, type SharedLog } from './log/reader.ts'
import { openPresence } from './presence.ts'
import { ensureSchema } from './schema/schema.ts'
import { createStatements } from './schema/statements.ts'

export interface PostgresStoreOptions {
  /**
   * `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, several hosts separated by commas. Our own parameters: `schema`
   * (by default deskmates) and `pooler=1`.
   */
  readonly url: string
  /** Features a record may need; a record that needs another ends the reading. */
  readonly knows?: readonly string[]
  /** Milliseconds after which a log is looked at without a hint. */
  readonly poll?: number
  /** Milliseconds for which a process counts as alive without a word; it says one three times as often. */
  readonly lease?: number
  readonly patience?: Partial<Patience>
  readonly warn?: (message: string) => void
}

const PATIENCE: Patience = { connect: 5000, statement: 10_000, lock: 5000, idle: 2000, server: 15_000 }

/** Milliseconds to say goodbye in. */
const LEAVING = 1000

/** Teams in a PostgreSQL database, for as many machines as can reach it. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { url, knows = [], poll = 2000, lease = 30_000, warn = toStderr } = options
  const address = parseAddress(url)
  const lines = createLines(address, { ...PATIENCE, ...options.patience })
  const statements = createStatements(address.schema)
  const news = createNews(lines, statements, warn)
  const presence = await ensureSchema(lines)
    .then(() => openPresence(lines, statements, lease))
    .catch((error) => {
      lines.close()
      throw error
    })
  const features = new Set(knows)
  const shared = new Map<LogName, { log: SharedLog; handles: number }>()
  const handles = new Set<{ close(): Promise<void> }>()

  async function sharedLog(name: LogName): Promise<{ log: SharedLog; handles: number }> {
    const found = shared.get(name)
    if (found && (await found.log.isCurrent())) return found
    const path = `${address.shown} ${name}`
    const made = {
      log: createSharedLog({ name, path, lines, statements, news, knows: features, poll }),
      handles: 0,
    }
    shared.set(name, made)
    return made
  }

  const store: Store = {
    presence,
    warn,
    async log(name, { longTexts: aside = false } = {}) {
      checkName(name)
      const place = await sharedLog(name)
      place.handles++
      const log = createPostgresLog({
        shared: place.log,
        lines,
        statements,
        news,
        knows: features,
        aside,
        poll,
        warn,
        wrote: presence.wrote,
        again: () => store.log(name, { longTexts: aside }),
        closed() {
          handles.delete(log)
          if (--place.handles === 0 && shared.get(name) === place) shared.delete(name)
        },
      })
      handles.add(log)
      return log
    },
    async teams() {
      const rows = await lines.ask(statements.teams)
      return rows.map(({ name }) => String(name).slice(0, -'/journal'.length)).sort()
    },
    async remove(team, purge) {
      const away = await lines.ask(statements.putAway, [team])
      if (!purge) return
      for (const { log } of away) {
        for (const table of ['records', 'bodies'] as const) {
          for (let gone = 1; gone > 0; ) {
            const [row] = await lines.ask(statements.purgeSome(table), [String(log)])
            gone = Number(row?.gone)
          }
        }
        await lines.ask(statements.purgeRest, [String(log)])
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...handles].map((handle) => handle.close()))
      // Both only spare others a wait, so a server that is away is not waited for.
      const told = Promise.allSettled([news.flush(), presence.leave()])
      await Promise.race([told, new Promise((resolve) => setTimeout(resolve, LEAVING).unref())])
      news.close()
      lines.close()
    },
  }
  return store
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

function checkName(name: LogName): void {
  const [team = '', kind, member = '', ...more] = name.split('/')
  const isTranscript = kind === 'transcripts' && NAME.test(member)
  if (!NAME.test(team) || more.length > 0 || (!isTranscript && (kind !== 'journal' || member !== ''))) {
    throw new TypeError(`${name} is not a name of a log`)
  }
}

function toStderr(message: string): void {
  process.stderr.write(plainText(`deskmates: ${message}\n`))
}
