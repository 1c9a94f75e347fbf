import { type Chain, createChain } from '../../journal/log/acceptance.ts'
import { firstUnknown, MAX_RECORD_BYTES, toInstall, whyRefused } from '../../journal/log/admission.ts'
import type { Cursor } from '../../journal/log/cursor.ts'
import { advance } from '../../journal/log/cursor.ts'
import { createFairness } from '../../journal/log/fairness.ts'
import type { Appended, Audited, Fault, Log, LogRecord, Outcome, Recorded } from '../../journal/log/store.ts'
import { JournalReadOnly, JournalReplaced, RecordRefused } from '../../journal/log/store-errors.ts'
import { createSleep } from '../sleep.ts'

/** The log itself, shared by all handles on it. */
export interface SharedLog {
  readonly chain: Chain
  readonly lines: Audited[]
  readonly accepted: (Recorded & { readonly bytes: number })[]
  readonly listeners: Set<() => void>
  readonly isRemoved: boolean
  snapshot: { readonly fold: number; readonly cursor: Cursor; readonly state: string } | undefined
  write(text: string): Outcome
  remove(): void
}

const MAX_BATCH_BYTES = 256 * 1024
const POLL_MS = 2000

export function createSharedLog(): SharedLog {
  const chain = createChain()
  const lines: Audited[] = []
  const accepted: (Recorded & { bytes: number })[] = []
  const listeners = new Set<() => void>()
  let isRemoved = false
  const notifyAll = () => {
    for (const listener of listeners) listener()
  }

  return {
    chain,
    lines,
    accepted,
    listeners,
    get isRemoved() {
      return isRemoved
    },
    snapshot: undefined,
    write(text) {
      const record = JSON.parse(text) as LogRecord
      const verdict = chain.judge(record)
      if (verdict === 'broken') throw new Error('A record was appended whose predecessor is not in the log.')
      const line = lines.length + 1
      if (verdict === 'accepted') accepted.push({ seq: accepted.length + 1, record, bytes: text.length })
      lines.push({ verdict, record, line, offset: line, seq: accepted.length })
      notifyAll()
      return verdict === 'refused' ? 'conflict' : verdict
    },
    remove() {
      isRemoved = true
      notifyAll()
    },
  }
}

/** One handle. */
export function createMemoryLog(path: string, shared: SharedLog, knows: ReadonlySet<string>): Log {
  const fairness = createFairness()
  const sleep = createSleep()
  const closing = new AbortController()
  let judgedLines = 0
  let stop: Fault | undefined
  shared.listeners.add(sleep.wakeAll)

  return {
    async append(records): Promise<Appended> {
      closing.signal.throwIfAborted()
      judgeNew()
      const fault = replaced() ?? stop
      if (fault) throw new JournalReadOnly(fault)
      const outcomes = admit(records).map(shared.write)
      for (const { id } of records) fairness.forget(id)
      return { outcomes, durable: Promise.resolve() }
    },
    async read(from) {
      closing.signal.throwIfAborted()
      return after(from)
    },
    async *tail(from, signal) {
      const ended = AbortSignal.any([signal, closing.signal])
      for (let at = from; !ended.aborted; ) {
        const batch = after(at)
        at = batch.reduce(advance, at)
        if (batch.length > 0) yield batch
        else await changed(at, POLL_MS, ended)
      }
    },
    knows: async (id) => shared.chain.accepted(id),
    changed,
    async holdBack(tries = 0) {
      judgeNew()
      for (let left = fairness.left(tries); left > 0 && !closing.signal.aborted; left = fairness.left(tries)) {
        await sleep.upTo(left)
        judgeNew()
      }
    },
    async sync() {},
    async restore(fold) {
      const kept = shared.snapshot
      return kept?.fold === fold ? { cursor: kept.cursor, state: JSON.parse(kept.state) } : undefined
    },
    async save(fold, cursor, state) {
      if (cursor.seq > 0) shared.snapshot = { fold, cursor, state: JSON.stringify(state()) }
    },
    async *audit() {
      if (shared.lines.length > 0) yield [...shared.lines]
    },
    faults: () => [replaced(), stop].filter((fault) => fault !== undefined),
    whole: async (value) => value,
    async close() {
      closing.abort(new Error(`This handle on ${path} is closed.`))
      shared.listeners.delete(sleep.wakeAll)
      sleep.wakeAll()
    },
  }

  function admit(records: readonly LogRecord[]): string[] {
    const refusal = whyRefused(records, shared.chain, knows)
    if (refusal) throw new RecordRefused(path, refusal.id, refusal.why)
    return records.map((record) => {
      const text = JSON.stringify(record)
      if (Buffer.byteLength(text) > MAX_RECORD_BYTES) throw new RecordRefused(path, record.id, 'is longer than 16 MB')
      return text
    })
  }

  function after(from: Cursor): readonly Recorded[] {
    judgeNew()
    const isHere = from.seq === 0 || shared.accepted[from.seq - 1]?.record.id === from.id
    const fault = replaced() ?? replaced(`the record ${from.id} is not there`, !isHere)
    if (fault) throw new JournalReplaced(fault)
    const batch: Recorded[] = []
    for (let bytes = 0; bytes < MAX_BATCH_BYTES; ) {
      const next = shared.accepted[from.seq + batch.length]
      if (!next || (stop && next.seq >= stop.offset)) break
      batch.push(next)
      bytes += next.bytes
    }
    return batch
  }

  /** Visits every line once, like the reader of a file. */
  function judgeNew(): void {
    for (; judgedLines < shared.lines.length && !stop; judgedLines++) {
      const { verdict, record, line, seq } = shared.lines[judgedLines]!
      if (verdict === 'refused') fairness.refused(record!)
      if (verdict !== 'accepted') continue
      if (record!.after !== undefined) fairness.accepted(record!)
      const need = firstUnknown(record!, knows)
      if (need) stop = { kind: 'needs newer', path, line, offset: seq, detail: toInstall(need) }
    }
  }

  function replaced(detail = 'it was moved or deleted', isSo = shared.isRemoved): Fault | undefined {
    return isSo ? { kind: 'replaced', path, line: judgedLines, offset: judgedLines, detail } : undefined
  }

  function mayHaveMore(from: Cursor): boolean {
    return shared.isRemoved || (stop ? stop.offset - 1 : shared.accepted.length) > from.seq
  }

  async function changed(from: Cursor, atMost: number, signal?: AbortSignal): Promise<void> {
    const until = performance.now() + atMost
    while (!signal?.aborted && !closing.signal.aborted && !mayHaveMore(from)) {
      const left = until - performance.now()
      if (left <= 0) return
      await sleep.upTo(Math.min(left, POLL_MS), signal)
    }
  }
}
