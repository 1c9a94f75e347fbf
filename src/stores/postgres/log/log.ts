import { firstUnknown } from '../../../journal/log/admission.ts'
import { advance, type Cursor, START } from '../../../journal/log/cursor.ts'
import type { Audited, Log, Recorded } from '../../../journal/log/store.ts'
import { NotRead } from '../../../journal/log/store-errors.ts'
import type { Json } from '../../../team/data/json.ts'
import type { ConnectionPool } from '../connection/connection-pool.ts'
import { reason, StoreUnreachable } from '../connection/failures.ts'
import { arrayOf, type Statements } from '../schema/statements.ts'
import { insertTexts, referencesIn, type TextReference } from './long-texts.ts'
import type { Notifications } from './notifications.ts'
import type { LogReader } from './reader.ts'
import type { Stored } from './record-cache.ts'
import { createWriter } from './writer.ts'
import { createWritersLock } from './writers-lock.ts'

export interface PostgresLogOptions {
  readonly reader: LogReader
  readonly pool: ConnectionPool
  readonly statements: Statements
  readonly notifications: Notifications
  readonly knows: ReadonlySet<string>
  readonly longTexts: boolean
  /** Milliseconds between two reads without a hint. */
  readonly poll: number
  readonly warn: (message: string) => void
  readonly onWrite: () => void
  readonly reopen: () => Promise<Log>
  readonly onClose: () => void
}

/** How often a writer that holds back checks whether it may go on. */
const HOLD_BACK_POLL_MS = 5
/** Long texts are fetched in answers of about this size. */
const MAX_TEXTS_CHARS = 8 * 1024 * 1024

/** One handle on one log. */
export function createPostgresLog(options: PostgresLogOptions): Log {
  const { reader, pool, statements, notifications, knows, longTexts, poll, warn } = options
  const { path } = reader
  const form = longTexts ? 'references' : 'whole'
  const writersLock = createWritersLock(reader, pool, statements)
  const write = createWriter({ reader, pool, statements, writersLock, knows })
  const closing = new AbortController()
  /** The number at which the last known snapshot was taken. */
  let savedSeq = 0

  return {
    async append(records) {
      closing.signal.throwIfAborted()
      if (records.length === 0) return { outcomes: [], durable: Promise.resolve() }
      const sendHint = reader.log === undefined ? undefined : notifications.hintFor(reader.log)
      const outcomes = await write(records, sendHint)
      options.onWrite()
      if (!sendHint && outcomes.includes('accepted') && reader.log !== undefined) notifications.notify(reader.log)
      // The server answers after it has synced.
      return { outcomes, durable: Promise.resolve() }
    },
    async read(from) {
      closing.signal.throwIfAborted()
      return handOut(await reader.read(from, form))
    },
    tail,
    async knows(id) {
      const [row] = await pool.ask(statements.knows, [reader.name, id])
      return row?.known === true
    },
    async changed(from, atMost, signal) {
      if (reader.mayHaveMore(from)) return
      const unfollow = reader.follow(from)
      try {
        await wait(from, atMost, signal)
      } finally {
        unfollow()
      }
    },
    async holdBack(tries = 0) {
      writersLock.release()
      try {
        await writersLock.takeIfBusy(tries)
        if (writersLock.isHeld) return writersLock.release
        if (reader.holdBackFor(tries) === 0) return
        while (reader.holdBackFor(tries) > 0 && !closing.signal.aborted) {
          await reader.sleep(Math.min(reader.holdBackFor(tries), HOLD_BACK_POLL_MS), closing.signal)
          await reader.refreshHead()
        }
        // Once more, so that the winner gets its answer before the writers that held back.
        await reader.refreshHead()
      } catch {
        // No promise depends on holding back; an unreachable server is reported by the next call.
      }
    },
    async sync() {
      // A commit is synced before readers can see it.
    },
    async restore(fold) {
      const [kept] = await pool.ask(statements.snapshot, [reader.name, longTexts, fold])
      if (!kept) return undefined
      reader.bind(Number(kept.log))
      savedSeq = Number(kept.seq)
      const cursor = { seq: savedSeq, id: String(kept.id), last: String(kept.last) }
      return { cursor, state: JSON.parse(String(kept.state)) as Json }
    },
    async save(fold, cursor, state) {
      const { log, fault } = reader
      if (cursor.seq === 0 || log === undefined || fault) return
      try {
        const [kept] = await pool.ask(statements.snapshotAt, [log, longTexts])
        const keptSeq = Number(kept?.seq ?? 0)
        const isFresh = keptSeq !== savedSeq
        savedSeq = keptSeq
        if (isFresh) return
        const { seq, id, last } = cursor
        await pool.ask(statements.keepSnapshot, [log, longTexts, fold, seq, id, last, JSON.stringify(state())])
        savedSeq = seq
      } catch (error) {
        warn(`Cannot save the snapshot of ${path} (${reason(error)}). Opening this team will take longer.`)
      }
    },
    audit,
    faults: () => (reader.fault ? [reader.fault] : []),
    whole,
    reopen: options.reopen,
    async close() {
      if (closing.signal.aborted) return
      closing.abort(new Error(`This handle on ${path} is closed.`))
      writersLock.release()
      reader.wake()
      options.onClose()
    },
  }

  async function* tail(from: Cursor, signal: AbortSignal): AsyncGenerator<readonly Recorded[]> {
    const ended = AbortSignal.any([signal, closing.signal])
    const unfollow = reader.follow(from)
    let isUnreachable = false
    try {
      for (let at = from; !ended.aborted; ) {
        try {
          const batch = await handOut(reader.cached(at, form) ?? (await reader.read(at, form)))
          isUnreachable = false
          at = batch.reduce(advance, at)
          if (batch.length > 0) yield batch
          else await wait(at, poll, ended)
        } catch (error) {
          if (!(error instanceof StoreUnreachable)) throw error
          if (!isUnreachable && !ended.aborted) warn(`${error.message} Waiting for the server.`)
          isUnreachable = true
          await reader.sleep(poll, ended)
        }
      }
    } finally {
      unfollow()
    }
  }

  async function wait(from: Cursor, atMost: number, signal?: AbortSignal): Promise<void> {
    const until = performance.now() + atMost
    while (!signal?.aborted && !closing.signal.aborted && !reader.mayHaveMore(from)) {
      const left = until - performance.now()
      if (left <= 0) return
      await reader.sleep(left, signal)
    }
  }

  async function handOut(stored: readonly Stored[]): Promise<readonly Recorded[]> {
    const form = longTexts ? 'references' : 'whole'
    const records = stored.map(({ seq, record, size }) => ({ seq, record, bytes: size[form] }))
    return longTexts ? records : whole(records)
  }

  async function whole<T>(value: T): Promise<T> {
    const references = referencesIn(value as Json)
    if (references.size === 0) return value
    const texts = new Map<string, string>()
    for (const some of groups([...references])) {
      const found = await pool.ask(statements.bodies, [
        reader.log ?? null,
        arrayOf(some.map(([, { id }]) => id)),
        arrayOf(some.map(([, { part }]) => part)),
      ])
      const byPlace = new Map(found.map(({ id, part, body }) => [`${id} ${part}`, JSON.parse(String(body)) as string]))
      for (const [reference, { id, part }] of some) {
        const text = byPlace.get(`${id} ${part}`)
        if (text === undefined) throw new NotRead(path, new Error(`a text of the record ${id} is missing`))
        texts.set(reference, text)
      }
    }
    return insertTexts(value, texts)
  }

  async function* audit(): AsyncGenerator<readonly Audited[]> {
    let verdict: Audited['verdict'] = 'accepted'
    for (let at = START; ; ) {
      const page = await reader.page(at)
      if (page.length === 0) return
      const records = await handOut(page)
      yield records.map(({ seq, record }) => {
        if (firstUnknown(record, knows)) verdict = 'needs newer'
        return { verdict, line: seq, offset: seq, seq, record }
      })
      at = records.reduce(advance, at)
    }
  }
}

function* groups(references: readonly [string, TextReference][]): Generator<readonly [string, TextReference][]> {
  let group: [string, TextReference][] = []
  let length = 0
  for (const reference of references) {
    if (length > MAX_TEXTS_CHARS) {
      yield group
      group = []
      length = 0
    }
    group.push(reference)
    length += reference[1].length
  }
  if (group.length > 0) yield group
}
