import { firstUnknown, toInstall } from '../../../journal/log/admission.ts'
import type { Cursor } from '../../../journal/log/cursor.ts'
import type { Fault, LogName, LogRecord } from '../../../journal/log/store.ts'
import { JournalReplaced, NotRead } from '../../../journal/log/store-errors.ts'
import { TeamError } from '../../../team/errors.ts'
import { createSleep } from '../../sleep.ts'
import type { Row } from '../connection/connection.ts'
import { type ConnectionPool, readableError } from '../connection/connection-pool.ts'
import type { Statements } from '../schema/statements.ts'
import type { Notifications } from './notifications.ts'
import { bounded, createRecordCache, type Position, type Stored, type TextForm } from './record-cache.ts'

/** Reads one log for all handles of this process, which share what was fetched. */
export interface LogReader {
  readonly name: LogName
  readonly path: string
  /** The number of the log once it exists. The number of a removed log is never used again. */
  readonly log: number | undefined
  /** How far this process has read. Undefined until it has reached the end once. */
  readonly known: Position | undefined
  /** Why this process may not write. */
  readonly fault: Fault | undefined
  /** The records after `from`, from the server where necessary; an empty answer means that there are none. */
  read(from: Cursor, form: TextForm): Promise<readonly Stored[]>
  /** The same from the cache; undefined if the cache does not reach back to `from`. */
  cached(from: Cursor, form: TextForm): readonly Stored[] | undefined
  /** Sets the number of the log before anything was read. */
  bind(number: number): void
  /** Takes in the answer to a read after `from`, which was made under the lock: no record can be newer. */
  absorbLockedRead(from: Position, rows: readonly Row[]): void
  /** How many answers this process has taken in, of all logs and handles. */
  readonly answersTaken: number
  /** Takes in the answer to an append: `own` are its accepted records, `askedAt` was `answersTaken` when it was sent. */
  absorbAppend(rows: readonly Row[], own: readonly Own[], askedAt: number): void
  /** One page for an audit: from the server, past every fault. */
  page(from: Cursor): Promise<readonly Stored[]>
  mayHaveMore(from: Cursor): boolean
  /** Fetches new records at every hint, until the returned function is called. */
  follow(from: Cursor): () => void
  /** Resolves when new records were fetched, after `atMost` milliseconds or when `signal` aborts. */
  sleep(atMost: number, signal?: AbortSignal): Promise<void>
  /** Milliseconds to hold back for a writer that lost at least three times, and more often than `tries`. */
  holdBackFor(tries: number): number
  /** Asks the server which writer others hold back for. */
  refreshHead(): Promise<void>
  /** Whether this is still the log of its name. */
  isCurrent(): Promise<boolean>
  /** The log was removed or is not what was read: all its handles stop. */
  lose(kind: 'replaced' | 'rewound', detail: string): Fault
  stop(need: string, seq: number): Fault
  wake(): void
}

/** A record as it was sent. */
export interface Own {
  readonly record: LogRecord
  readonly text: string
  readonly size: number
}

export interface LogReaderOptions {
  readonly name: LogName
  readonly path: string
  readonly pool: ConnectionPool
  readonly statements: Statements
  readonly notifications: Notifications
  readonly knows: ReadonlySet<string>
  readonly poll: number
}

/** Counted over all logs and handles of this process: a caller may read one log because of what another one said. */
let answersTaken = 0
const NEVER = -1

export function createLogReader(options: LogReaderOptions): LogReader {
  const { name, path, pool, statements, notifications, knows, poll } = options
  const cache = createRecordCache()
  const sleep = createSleep()
  /** Reads that have not begun: callers at the same position share one. */
  const queued = new Map<string, Promise<readonly Stored[]>>()
  let lastRead: Promise<unknown> = Promise.resolve()
  let log: number | undefined
  let hasBeenAtEnd = false
  /** What `answersTaken` was when the end was reached; see `reachEnd`. */
  let freshAt = NEVER
  let lostFault: Fault | undefined
  let stopFault: Fault | undefined
  let waiting = { tries: 0, until: 0 }
  let followers = 0
  let unfollow: (() => void) | undefined

  /**
   * One read at a time. A read that has begun is not shared: a second caller may already know of a record that this read
   * has missed.
   */
  function fetch(from: Position): Promise<readonly Stored[]> {
    const key = `${from.seq} ${from.id}`
    const found = queued.get(key)
    if (found) return found
    const next = lastRead.then(() => {
      queued.delete(key)
      return query(from)
    })
    lastRead = next.catch(() => {})
    queued.set(key, next)
    return next
  }

  async function query(from: Position): Promise<readonly Stored[]> {
    if (lostFault) throw new JournalReplaced(lostFault)
    const askedAt = answersTaken
    return absorbRead(from, await ask(from), askedAt)
  }

  /** Throws unless the record at `from` is still the one that was read there: another server may answer by now. */
  function absorbRead(from: Position, rows: readonly Row[], askedAt: number): readonly Stored[] {
    const [head] = rows
    if (!head) {
      if (log === undefined && from.seq === 0) return reachEnd(askedAt)
      throw new JournalReplaced(lose('replaced', log === undefined ? 'there is no such log' : 'it was removed'))
    }
    if (from.seq > 0 && head.at_id !== from.id) {
      const instead = head.at_id === null ? 'is not there' : `is now ${head.at_id}`
      throw new JournalReplaced(lose('rewound', `the record ${from.id} (number ${from.seq}) ${instead}`))
    }
    if (from.seq > cache.end.seq) cache.restart(from)
    const isCached = cache.reaches(from)
    const stored = storedIn(rows)
    noteHead(head)
    if (isCached) take(stored, Number(head.head), askedAt)
    return readable(stored)
  }

  async function ask(from: Position): Promise<readonly Row[]> {
    try {
      if (log === undefined) return await pool.ask(statements.readByName, [name, from.seq])
      return await pool.ask(statements.readByLog, [log, from.seq])
    } catch (error) {
      throw error instanceof TeamError ? error : new NotRead(path, readableError(error))
    }
  }

  function noteHead(head: Row): void {
    log ??= Number(head.log)
    answersTaken++
    waiting = { tries: Number(head.waiting_tries), until: performance.now() + Number(head.waiting_ms) }
  }

  function take(stored: readonly Stored[], head: number, askedAt: number): void {
    if (cache.push(readable(stored)) > 0) sleep.wakeAll()
    if (head === cache.end.seq) reachEnd(askedAt + 1)
  }

  /**
   * An answer that reached the end stays fresh until the next tick, if no other answer came since it was asked for: the
   * caller cannot know of a newer record before that.
   */
  function reachEnd(expected: number): readonly Stored[] {
    hasBeenAtEnd = true
    freshAt = expected === answersTaken ? answersTaken : NEVER
    process.nextTick(() => {
      freshAt = NEVER
    })
    return []
  }

  /** The records before the first that this version cannot read. */
  function readable(stored: readonly Stored[]): readonly Stored[] {
    const index = stored.findIndex(({ record }) => record.needs && firstUnknown(record, knows))
    const first = stored[index]
    if (!first) return stored
    stop(firstUnknown(first.record, knows)!, first.seq)
    return stored.slice(0, index)
  }

  function lose(kind: 'replaced' | 'rewound', detail: string): Fault {
    const { seq } = cache.end
    lostFault ??= { kind, path, line: seq, offset: seq, detail }
    sleep.wakeAll()
    return lostFault
  }

  function stop(need: string, seq: number): Fault {
    stopFault ??= { kind: 'needs newer', path, line: seq, offset: seq, detail: toInstall(need) }
    return stopFault
  }

  /** Nothing is read behind a record that this version cannot read. */
  const isStoppedAt = ({ seq }: Position) => stopFault !== undefined && seq >= stopFault.offset - 1

  function cached(from: Cursor, form: TextForm): readonly Stored[] | undefined {
    if (lostFault) throw new JournalReplaced(lostFault)
    if (!cache.reaches(from)) return undefined
    if (cache.contradicts(from))
      throw new JournalReplaced(lose('rewound', `the record ${from.id} is not number ${from.seq}`))
    return cache.after(from, form)
  }

  const furthest = (from: Position) => (from.seq > cache.end.seq ? from : cache.end)

  /** Fetches new records for all waiting callers; if the server is unreachable, the next hint or poll tries again. */
  function fetchNew(from: Position): void {
    if (lostFault) sleep.wakeAll()
    if (lostFault || stopFault) return
    fetch(furthest(from)).catch(() => {
      if (lostFault) sleep.wakeAll()
    })
  }

  return {
    name,
    path,
    get log() {
      return log
    },
    get known() {
      return hasBeenAtEnd ? cache.end : undefined
    },
    get fault() {
      return lostFault ?? stopFault
    },
    async read(from, form) {
      const there = cached(from, form)
      if (there && (there.length > 0 || freshAt === answersTaken || isStoppedAt(from))) return there
      const fetched = await fetch(from)
      return cache.reaches(from) ? cache.after(from, form) : bounded(fetched, form)
    },
    cached,
    get answersTaken() {
      return answersTaken
    },
    absorbAppend([head, ...records], own, askedAt) {
      if (!head) return
      noteHead(head)
      const before = Number(head.before)
      const ours = own.map(({ text, size }, i) => storedOf(before + 1 + i, size, text))
      // Without records of others in between, our own follow directly what was known.
      const fresh =
        records.length > 0 ? storedIn(records, new Map(own.map(({ record, text }) => [record.id, text]))) : ours
      take(fresh, Number(head.head), askedAt)
    },
    absorbLockedRead: (from, rows) => void absorbRead(from, rows, answersTaken),
    bind(number) {
      log ??= number
    },
    async page(from) {
      return storedIn(await ask(from))
    },
    mayHaveMore: (from) => lostFault !== undefined || cache.end.seq > from.seq,
    follow(from) {
      followers++
      if (followers === 1) {
        const unsubscribe = notifications.subscribe((grown) => {
          if (grown === undefined || log === undefined || grown === log) fetchNew(from)
        })
        const timer = setInterval(() => fetchNew(from), poll)
        unfollow = () => {
          unsubscribe()
          clearInterval(timer)
        }
      }
      fetchNew(from)
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        if (--followers === 0) unfollow?.()
      }
    },
    sleep: sleep.upTo,
    holdBackFor: (tries) => (waiting.tries > tries ? Math.max(0, waiting.until - performance.now()) : 0),
    async refreshHead() {
      const [head] = log === undefined ? [] : await pool.ask(statements.head, [log])
      if (head) noteHead(head)
    },
    async isCurrent() {
      if (lostFault) return false
      if (log === undefined) return true
      const [row] = await pool.ask(statements.current, [name])
      return Number(row?.log) === log
    },
    lose,
    stop,
    wake: sleep.wakeAll,
  }
}

function storedIn(rows: readonly Row[], own?: ReadonlyMap<string, string>): Stored[] {
  return rows.flatMap(({ seq, id, size, body }) => {
    if (seq === null || seq === undefined) return []
    const text = typeof body === 'string' ? body : own?.get(String(id))
    if (text === undefined) throw new Error(`The record ${id} came without its text.`)
    return [storedOf(Number(seq), Number(size), text)]
  })
}

function storedOf(seq: number, size: number, text: string): Stored {
  return { seq, record: JSON.parse(text) as LogRecord, size: { whole: size, references: text.length } }
}
