import { firstUnknown } from '../../../journal/admission.ts'
import { LOST_TRIES } from '../../../journal/fairness.ts'
import { type Audited, advance, type Cursor, type Log, type Recorded, START } from '../../../journal/store.ts'
import { NotRead } from '../../../journal/store-errors.ts'
import type { Json } from '../../../team/json.ts'
import type { Lines } from '../connection/connection-pool.ts'
import { reason, StoreUnreachable } from '../connection/failures.ts'
import type { News } from '../connection/notifications.ts'
import { arrayOf, type Statements } from '../schema/statements.ts'
import { createFloor } from './floor.ts'
import { createHold } from './head-row-lock.ts'
import { redeem, ticketsIn, type Wanted } from './long-texts.ts'
import type { SharedLog } from './reader.ts'
import type { Stored } from './record-cache.ts'
import { createWriter } from './writer.ts'

export interface PostgresLogOptions {
  readonly shared: SharedLog
  readonly lines: Lines
  readonly statements: Statements
  readonly news: News
  readonly knows: ReadonlySet<string>
  readonly aside: boolean
  /** Milliseconds between two looks without a hint. */
  readonly poll: number
  readonly warn: (message: string) => void
  readonly wrote: () => void
  readonly again: () => Promise<Log>
  readonly closed: () => void
}

/** After a conflict so many decisions take the head row first: others are deciding, and losing costs more. */
const CROWDED = 64
/** How often one who holds back looks whether it may go on, in milliseconds. */
const LOOK_AGAIN = 5
/** Texts are fetched in answers of about so many characters. */
const TEXTS = 8 * 1024 * 1024

/** One handle on one log. */
export function createPostgresLog(options: PostgresLogOptions): Log {
  const { shared, lines, statements, news, knows, aside, poll, warn } = options
  const { path } = shared
  const which = aside ? 'aside' : 'whole'
  const hold = createHold(shared, lines, statements)
  const floor = createFloor(shared, lines, statements)
  const write = createWriter({ shared, lines, statements, hold, floor, knows })
  const closing = new AbortController()
  /** The number of the snapshot that we know of. */
  let savedSeq = 0
  let crowded = 0

  return {
    async append(records) {
      closing.signal.throwIfAborted()
      if (records.length === 0) return { outcomes: [], durable: Promise.resolve() }
      const hint = shared.log === undefined ? undefined : news.hint(shared.log)
      const outcomes = await write(records, hint)
      options.wrote()
      crowded = outcomes.includes('conflict') ? CROWDED : Math.max(0, crowded - 1)
      if (!hint && outcomes.includes('accepted') && shared.log !== undefined) news.tell(shared.log)
      // The server answers when it has synced.
      return { outcomes, durable: Promise.resolve() }
    },
    async read(from) {
      closing.signal.throwIfAborted()
      return handOut(await shared.read(from, which))
    },
    tail,
    async knows(id) {
      const [row] = await lines.ask(statements.knows, [shared.name, id])
      return row?.known === true
    },
    async changed(from, atMost, signal) {
      if (shared.mayHaveNews(from)) return
      const unfollow = shared.follow(from)
      try {
        await wait(from, atMost, signal)
      } finally {
        unfollow()
      }
    },
    async holdBack(tries = 0) {
      hold.release()
      try {
        if (tries >= LOST_TRIES) await hold.take('long')
        // The floor is the cheaper one, but it belongs to a connection, and behind a pooler nobody has one.
        else if (crowded > 0) await (lines.address.pooler ? hold.take('briefly') : floor.take())
        if (hold.isHeld || floor.isHeld || shared.owed(tries) === 0) return
        while (shared.owed(tries) > 0 && !closing.signal.aborted) {
          await shared.sleep(Math.min(shared.owed(tries), LOOK_AGAIN), closing.signal)
          await shared.look()
        }
        // Once more: the winner hears of it before those who made room.
        await shared.look()
      } catch {
        // Fairness is a courtesy; a server that is away is named by what comes next.
      }
    },
    async sync() {
      // What others can see is synced: a commit becomes visible after that.
    },
    async restore(fold) {
      const [kept] = await lines.ask(statements.snapshot, [shared.name, aside, fold])
      if (!kept) return undefined
      shared.bind(Number(kept.log))
      savedSeq = Number(kept.seq)
      const cursor = { seq: savedSeq, id: String(kept.id), last: String(kept.last) }
      return { cursor, state: JSON.parse(String(kept.state)) as Json }
    },
    async save(fold, cursor, state) {
      const { log, fault } = shared
      if (cursor.seq === 0 || log === undefined || fault) return
      try {
        const [kept] = await lines.ask(statements.snapshotAt, [log, aside])
        const keptSeq = Number(kept?.seq ?? 0)
        const isFresh = keptSeq !== savedSeq
        savedSeq = keptSeq
        if (isFresh) return
        const { seq, id, last } = cursor
        await lines.ask(statements.keepSnapshot, [log, aside, fold, seq, id, last, JSON.stringify(state())])
        savedSeq = seq
      } catch (error) {
        warn(`The snapshot of ${path} could not be kept (${reason(error)}); opening this team will take longer.`)
      }
    },
    audit,
    faults: () => (shared.fault ? [shared.fault] : []),
    whole,
    reopen: options.again,
    async close() {
      if (closing.signal.aborted) return
      closing.abort(new Error(`This handle on ${path} is closed.`))
      hold.release()
      floor.release()
      shared.wake()
      options.closed()
    },
  }

  async function* tail(from: Cursor, signal: AbortSignal): AsyncGenerator<readonly Recorded[]> {
    const ended = AbortSignal.any([signal, closing.signal])
    const unfollow = shared.follow(from)
    let isAway = false
    try {
      for (let at = from; !ended.aborted; ) {
        try {
          const batch = await handOut(shared.kept(at, which) ?? (await shared.read(at, which)))
          isAway = false
          at = batch.reduce(advance, at)
          if (batch.length > 0) yield batch
          else await wait(at, poll, ended)
        } catch (error) {
          if (!(error instanceof StoreUnreachable)) throw error
          if (!isAway && !ended.aborted) warn(`${error.message} Waiting for it.`)
          isAway = true
          await shared.sleep(poll, ended)
        }
      }
    } finally {
      unfollow()
    }
  }

  /** For whoever follows. */
  async function wait(from: Cursor, atMost: number, signal?: AbortSignal): Promise<void> {
    const until = performance.now() + atMost
    while (!signal?.aborted && !closing.signal.aborted && !shared.mayHaveNews(from)) {
      const left = until - performance.now()
      if (left <= 0) return
      await shared.sleep(left, signal)
    }
  }

  async function handOut(stored: readonly Stored[]): Promise<readonly Recorded[]> {
    const records = stored.map(({ seq, record }) => ({ seq, record }))
    return aside ? records : whole(records)
  }

  async function whole<T>(value: T): Promise<T> {
    const tickets = ticketsIn(value as Json)
    if (tickets.size === 0) return value
    const texts = new Map<string, string>()
    for (const some of groups([...tickets])) {
      const found = await lines.ask(statements.bodies, [
        shared.log ?? null,
        arrayOf(some.map(([, { id }]) => id)),
        arrayOf(some.map(([, { part }]) => part)),
      ])
      const byPlace = new Map(found.map(({ id, part, body }) => [`${id} ${part}`, JSON.parse(String(body)) as string]))
      for (const [ticket, { id, part }] of some) {
        const text = byPlace.get(`${id} ${part}`)
        if (text === undefined) throw new NotRead(path, new Error(`a text of the record ${id} is not there any more`))
        texts.set(ticket, text)
      }
    }
    return redeem(value, texts)
  }

  async function* audit(): AsyncGenerator<readonly Audited[]> {
    let verdict: Audited['verdict'] = 'accepted'
    for (let at = START; ; ) {
      const page = await shared.page(at)
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

function* groups(tickets: readonly [string, Wanted][]): Generator<readonly [string, Wanted][]> {
  let group: [string, Wanted][] = []
  let length = 0
  for (const ticket of tickets) {
    if (length > TEXTS) {
      yield group
      group = []
      length = 0
    }
    group.push(ticket)
    length += ticket[1].length
  }
  if (group.length > 0) yield group
}
