import type { Chain } from '../../../journal/log/acceptance.ts'
import { type Cursor, START } from '../../../journal/log/cursor.ts'
import { createFairness } from '../../../journal/log/fairness.ts'
import type { Fault, Recorded } from '../../../journal/log/store.ts'
import { JournalReplaced } from '../../../journal/log/store-errors.ts'
import type { JournalFile } from './journal-file.ts'
import type { Frame } from './line.ts'
import { createRecordCache } from './record-cache.ts'
import { createScanner, type JudgedLine, type ScanPoint } from './scanner.ts'
import type { Restored } from './snapshot.ts'

/** Reads the file for one handle and keeps what it found. */
export interface LogReader {
  readonly chain: Chain
  readonly point: ScanPoint
  /** See `Scanner`. */
  readonly lacksNewline: boolean
  /** The last accepted record that was read: its line begins at `begins` and ends at `seq`. */
  readonly last: { readonly seq: number; readonly id: string; readonly begins: number }
  /** Accepted records after `from` in a bounded batch, from the file where necessary. */
  after(from: Cursor): readonly Recorded[]
  mayHaveMore(from: Cursor): boolean
  /** Reads to the end. */
  catchUp(): void
  /** Reads on until `done`, past our own lines. Lines equal to `ours` are not parsed again. */
  readBack(done: () => boolean, ours: readonly Frame[]): void
  /** Calls the listener once for each line. */
  onLine(listener: (judged: JudgedLine) => void): void
  /** Milliseconds to hold back for a writer that lost more often than `tries`. */
  holdBackFor(tries: number): number
  /** A decision of this process lost: this process need not hold back for itself. */
  forgetOwn(id: string): void
  /** Continues behind a snapshot. Only before the first read. */
  resume(restored: Restored): void
  /** Stops this handle for good, with a fault that later calls report. */
  halt(kind: 'replaced' | 'not synced', detail: string): Fault
  /** Throws if the path leads to another file or the file shrank. */
  ensureSame(): void
  /** Why this handle was stopped. */
  readonly halted: Fault | undefined
  readonly forbidsWriting: Fault | undefined
  faults(): readonly Fault[]
}

export function createLogReader(path: string, file: JournalFile, knows: ReadonlySet<string>): LogReader {
  const fairness = createFairness()
  const listeners: ((judged: JudgedLine) => void)[] = []
  let found: Fault[] = []
  let halted: Fault | undefined
  let begins = 0
  let cache = createRecordCache(START)
  let scanner = createScanner({ path, knows, show })

  return {
    get chain() {
      return scanner.chain
    },
    get point() {
      return scanner
    },
    get lacksNewline() {
      return scanner.lacksNewline
    },
    get last() {
      return { ...cache.last, begins }
    },
    get halted() {
      return halted
    },
    get forbidsWriting() {
      return halted ?? scanner.forbidsWriting
    },
    after,
    mayHaveMore: (from) => cache.last.seq > from.seq || (!scanner.stop && file.open() && currentSize() > scanner.seen),
    catchUp,
    readBack(done, ours) {
      while (!done() && readOn(ours)) {}
    },
    onLine: (listener) => void listeners.push(listener),
    holdBackFor: fairness.left,
    forgetOwn: fairness.forget,
    resume(restored) {
      cache = createRecordCache(restored.cursor)
      begins = restored.begins
      scanner = createScanner({ path, knows, show, from: restored.point })
    },
    halt,
    ensureSame: () => void currentSize(),
    faults() {
      const isShown = halted?.kind === 'replaced' || found.some(({ offset }) => offset === scanner.stop?.offset)
      const others = [isShown ? undefined : scanner.stop, scanner.tail, halted]
      return [...found, ...others.filter((fault) => fault !== undefined)]
    },
  }

  function after(from: Cursor): readonly Recorded[] {
    // Our own lines were read back when they were written; the file is read again for what follows them.
    const scanned = halted || !cache.reachesBackTo(from) ? undefined : cache.after(from)
    if (scanned && scanned.length > 0) return scanned
    if (!file.open()) return from.seq === 0 ? [] : lost(`there is nothing to read after byte ${from.seq}`)
    const size = currentSize()
    if (!cache.reachesBackTo(from)) rewind()
    for (;;) {
      if (cache.last.seq > from.seq || scanner.offset >= from.seq) {
        const batch = cache.after(from) ?? lost(`the record ${from.id} does not end at byte ${from.seq}`)
        if (batch.length > 0) return batch
      }
      if (size <= scanner.seen || !readOn()) {
        if (scanner.stop && from.seq > scanner.offset) return []
        return cache.after(from) ?? lost(`the record ${from.id} is missing`)
      }
    }
  }

  function catchUp(): void {
    if (!file.open() || currentSize() <= scanner.seen) return
    while (readOn()) {}
  }

  function readOn(ours?: readonly Frame[]): boolean {
    const hasMore = scanner.scan(file.readAt, ours)
    if (scanner.stop?.kind === 'replaced') lost(scanner.stop.detail)
    return hasMore
  }

  function rewind(): void {
    found = []
    cache = createRecordCache(START)
    scanner = createScanner({ path, knows, show })
  }

  function show(judged: JudgedLine): void {
    const { verdict, record, seq, line, offset, detail } = judged
    if (verdict === 'accepted') {
      cache.push({ seq, record: record!, bytes: seq - offset })
      begins = offset
      if (record!.after !== undefined) fairness.accepted(record!)
    } else if (verdict === 'refused') {
      fairness.refused(record!)
    } else if (verdict !== 'repeated') {
      found.push({ kind: verdict, path, line, offset, detail })
    }
    for (const listener of listeners) listener(judged)
  }

  function currentSize(): number {
    if (halted?.kind === 'replaced') throw new JournalReplaced(halted)
    const looked = file.look(scanner.seen)
    return typeof looked === 'number' ? looked : lost(looked)
  }

  function lost(detail: string): never {
    throw new JournalReplaced(halt('replaced', detail))
  }

  function halt(kind: 'replaced' | 'not synced', detail: string): Fault {
    halted ??= { kind, path, line: scanner.line, offset: scanner.offset, detail }
    return halted
  }
}
