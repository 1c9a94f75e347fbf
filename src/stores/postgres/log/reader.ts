import { firstUnknown, toInstall } from '../../../journal/admission.ts'
import type { Cursor, Fault, LogName, LogRecord } from '../../../journal/store.ts'
import { JournalReplaced, NotRead } from '../../../journal/store-errors.ts'
import { TeamError } from '../../../team/errors.ts'
import { createSleep } from '../../sleep.ts'
import type { Row } from '../connection/connection.ts'
import { type Lines, plainly } from '../connection/connection-pool.ts'
import type { News } from '../connection/notifications.ts'
import type { Statements } from '../schema/statements.ts'
import { bounded, createRecent, type Place, type Stored } from './record-cache.ts'

/** What all handles of this process on one log have in common: what was read, and who is waited for. */
export interface SharedLog {
  readonly name: LogName
  readonly path: string
  /** The number of the log once it exists; a removed one's is never used again. */
  readonly log: number | undefined
  /** How far this process has read. Undefined until it has once come to the end. */
  readonly known: Place | undefined
  /** What this process knows to forbid writing. */
  readonly fault: Fault | undefined
  /** What follows `from`, asking the server where necessary; nothing means: that was all. */
  read(from: Cursor, which: Which): Promise<readonly Stored[]>
  /** The same of what was read already; undefined if `from` is not among it. */
  kept(from: Cursor, which: Which): readonly Stored[] | undefined
  /** This is its number; known from elsewhere before anything was read. */
  bind(number: number): void
  /** Takes in the answer to a read behind `from`. */
  absorbRead(from: Place, rows: readonly Row[]): void
  /** Answers that this process has taken in so far, of all logs and handles. */
  readonly answersTaken: number
  /** Takes in the answer to an append; `own` are the records of it that count, `askedAt` is `answersTaken` when it was sent. */
  absorbAppend(rows: readonly Row[], own: readonly Own[], askedAt: number): void
  /** Read for nobody but an auditor: from the beginning, past everything. */
  page(from: Cursor): Promise<readonly Stored[]>
  mayHaveNews(from: Cursor): boolean
  /** Until the answer is called, news is fetched as soon as there is a hint of it. */
  follow(from: Cursor): () => void
  /** Resolves at news, after `atMost` milliseconds or when `signal` aborts. */
  sleep(atMost: number, signal?: AbortSignal): Promise<void>
  /** Milliseconds to hold back for a writer that lost three times or more, and more often than `tries`. */
  owed(tries: number): number
  /** Asks the server who is waited for. */
  look(): Promise<void>
  /** Is it still the log of this name? */
  isCurrent(): Promise<boolean>
  /** It was removed, or is not what was read: all its handles stop. */
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

type Which = 'whole' | 'aside'

export interface SharedLogOptions {
  readonly name: LogName
  readonly path: string
  readonly lines: Lines
  readonly statements: Statements
  readonly news: News
  readonly knows: ReadonlySet<string>
  readonly poll: number
}

/** Of all logs and handles of this process: a reader that saw one answer may look in another log for what it said. */
let answersTaken = 0
const NEVER = -1

export function createSharedLog(options: SharedLogOptions): SharedLog {
  const { name, path, lines, statements, news, knows, poll } = options
  const recent = createRecent()
  const sleep = createSleep()
  /** Reads that have not begun; whoever asks for the same place shares one. */
  const queued = new Map<string, Promise<readonly Stored[]>>()
  let turn: Promise<unknown> = Promise.resolve()
  let log: number | undefined
  let hasBeenAtEnd = false
  /** What `answersTaken` was when the end was reached; see `reachEnd`. */
  let freshAt = NEVER
  let gone: Fault | undefined
  let newer: Fault | undefined
  let waiting = { tries: 0, until: 0 }
  let followers = 0
  let unfollow: (() => void) | undefined

  /**
   * One read at a time. A read that has begun is never joined: it may have missed what its second caller has already
   * been told of.
   */
  function fetch(from: Place): Promise<readonly Stored[]> {
    const key = `${from.seq} ${from.id}`
    const found = queued.get(key)
    if (found) return found
    const next = turn.then(() => {
      queued.delete(key)
      return query(from)
    })
    turn = next.catch(() => {})
    queued.set(key, next)
    return next
  }

  async function query(from: Place): Promise<readonly Stored[]> {
    if (gone) throw new JournalReplaced(gone)
    const askedAt = answersTaken
    return absorbRead(from, await ask(from), askedAt)
  }

  /** The record at `from` must still be the one that was read there, whatever server answers by now. */
  function absorbRead(from: Place, rows: readonly Row[], askedAt = NEVER): readonly Stored[] {
    const [head] = rows
    if (!head) {
      if (log === undefined && from.seq === 0) return reachEnd(askedAt)
      throw new JournalReplaced(lose('replaced', log === undefined ? 'there is no such log' : 'it was removed'))
    }
    if (from.seq > 0 && head.at_id !== from.id) {
      const instead = head.at_id === null ? 'is not there' : `is now ${head.at_id}`
      throw new JournalReplaced(lose('rewound', `the record ${from.id} (number ${from.seq}) ${instead}`))
    }
    if (from.seq > recent.end.seq) recent.begin(from)
    const isKept = recent.reaches(from)
    const stored = storedIn(rows)
    noteHead(head)
    if (isKept) take(stored, Number(head.head), askedAt)
    return readable(stored)
  }

  async function ask(from: Place): Promise<readonly Row[]> {
    try {
      if (log === undefined) return await lines.ask(statements.readByName, [name, from.seq])
      return await lines.ask(statements.readByLog, [log, from.seq])
    } catch (error) {
      throw error instanceof TeamError ? error : new NotRead(path, plainly(error))
    }
  }

  function noteHead(head: Row): void {
    log ??= Number(head.log)
    answersTaken++
    waiting = { tries: Number(head.waiting_tries), until: performance.now() + Number(head.waiting_ms) }
  }

  function take(stored: readonly Stored[], head: number, askedAt: number): void {
    if (recent.push(readable(stored)) > 0) sleep.wakeAll()
    if (head === recent.end.seq) reachEnd(askedAt + 1)
  }

  /**
   * Right after an answer that reached the end there is nothing more to ask for, if it is the only one that came since
   * it was asked for: the caller cannot have been told of anything newer before the next tick.
   */
  function reachEnd(expected: number): readonly Stored[] {
    hasBeenAtEnd = true
    freshAt = expected === answersTaken ? answersTaken : NEVER
    process.nextTick(() => {
      freshAt = NEVER
    })
    return []
  }

  /** Up to the first record that this version cannot read. */
  function readable(stored: readonly Stored[]): readonly Stored[] {
    const index = stored.findIndex(({ record }) => record.needs && firstUnknown(record, knows))
    const first = stored[index]
    if (!first) return stored
    stop(firstUnknown(first.record, knows)!, first.seq)
    return stored.slice(0, index)
  }

  function lose(kind: 'replaced' | 'rewound', detail: string): Fault {
    const { seq } = recent.end
    gone ??= { kind, path, line: seq, offset: seq, detail }
    sleep.wakeAll()
    return gone
  }

  function stop(need: string, seq: number): Fault {
    newer ??= { kind: 'needs newer', path, line: seq, offset: seq, detail: toInstall(need) }
    return newer
  }

  /** Behind what cannot be read there is nothing, however often one asks. */
  const isStoppedAt = ({ seq }: Place) => newer !== undefined && seq >= newer.offset - 1

  function kept(from: Cursor, which: Which): readonly Stored[] | undefined {
    if (gone) throw new JournalReplaced(gone)
    if (!recent.reaches(from)) return undefined
    if (recent.contradicts(from))
      throw new JournalReplaced(lose('rewound', `the record ${from.id} is not number ${from.seq}`))
    return recent.after(from, which)
  }

  const furthest = (from: Place) => (from.seq > recent.end.seq ? from : recent.end)

  /** Fetches news for all who wait; a server that is away is asked again at the next hint or poll. */
  function attend(from: Place): void {
    if (gone) sleep.wakeAll()
    if (gone || newer) return
    fetch(furthest(from)).catch(() => {
      if (gone) sleep.wakeAll()
    })
  }

  return {
    name,
    path,
    get log() {
      return log
    },
    get known() {
      return hasBeenAtEnd ? recent.end : undefined
    },
    get fault() {
      return gone ?? newer
    },
    async read(from, which) {
      const there = kept(from, which)
      if (there && (there.length > 0 || freshAt === answersTaken || isStoppedAt(from))) return there
      const fetched = await fetch(from)
      return recent.reaches(from) ? recent.after(from, which) : bounded(fetched, which)
    },
    kept,
    get answersTaken() {
      return answersTaken
    },
    absorbAppend([head, ...records], own, askedAt) {
      if (!head) return
      noteHead(head)
      const before = Number(head.before)
      const ours = own.map(({ text, size }, i) => storedOf(before + 1 + i, size, text))
      // Without news between what we knew and our own, ours stand right behind it.
      const news =
        records.length > 0 ? storedIn(records, new Map(own.map(({ record, text }) => [record.id, text]))) : ours
      take(news, Number(head.head), askedAt)
    },
    absorbRead,
    bind(number) {
      log ??= number
    },
    async page(from) {
      return storedIn(await ask(from))
    },
    mayHaveNews: (from) => gone !== undefined || recent.end.seq > from.seq,
    follow(from) {
      followers++
      if (followers === 1) {
        const unhear = news.on((told) => {
          if (told === undefined || log === undefined || told === log) attend(from)
        })
        const timer = setInterval(() => attend(from), poll)
        unfollow = () => {
          unhear()
          clearInterval(timer)
        }
      }
      attend(from)
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        if (--followers === 0) unfollow?.()
      }
    },
    sleep: sleep.upTo,
    owed: (tries) => (waiting.tries > tries ? Math.max(0, waiting.until - performance.now()) : 0),
    async look() {
      const [head] = log === undefined ? [] : await lines.ask(statements.head, [log])
      if (head) noteHead(head)
    },
    async isCurrent() {
      if (gone) return false
      if (log === undefined) return true
      const [row] = await lines.ask(statements.current, [name])
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
  return { seq, record: JSON.parse(text) as LogRecord, size: { whole: size, aside: text.length } }
}
