import type { Chain } from '../../../journal/acceptance.ts'
import { createFairness } from '../../../journal/fairness.ts'
import { type Cursor, type Fault, type Recorded, START } from '../../../journal/store.ts'
import { JournalReplaced } from '../../../journal/store-errors.ts'
import type { JournalFile } from './journal-file.ts'
import type { Frame } from './line.ts'
import { createRecordCache } from './record-cache.ts'
import { createScanner, type JudgedLine, type ScanPoint } from './scanner.ts'
import type { Restored } from './snapshot.ts'

/** How far one handle has read its file, and what it found there. */
export interface LogReader {
  readonly chain: Chain
  readonly point: ScanPoint
  /** See `Scanner`. */
  readonly almost: boolean
  /** The accepted record read last: its line begins at `begins` and ends at `seq`. */
  readonly last: { readonly seq: number; readonly id: string; readonly begins: number }
  /** Accepted records after `from` in a bounded batch, reading on as far as necessary. */
  after(from: Cursor): readonly Recorded[]
  mayHaveMore(from: Cursor): boolean
  /** Reads to the end. */
  catchUp(): void
  /** Reads on past what we wrote, until `done`. Lines like `ours` are taken as they were given. */
  readBack(done: () => boolean, ours: readonly Frame[]): void
  /** Is shown each line once. */
  onLine(listener: (sight: JudgedLine) => void): void
  /** Milliseconds to hold back for a writer that keeps losing. */
  holdBackFor(tries: number): number
  /** Our own decision lost; nobody in this process need wait for it. */
  forgetOwn(id: string): void
  /** Goes on behind a kept fold. Only before the first read. */
  resume(restored: Restored): void
  /** Stops this handle for good; whoever asks next is told why. */
  halt(kind: 'replaced' | 'not synced', detail: string): Fault
  /** Throws if the path leads elsewhere by now or the file shrank. */
  ensureSame(): void
  /** What stopped this handle for good. */
  readonly halted: Fault | undefined
  readonly forbidsWriting: Fault | undefined
  faults(): readonly Fault[]
}

export function createLogReader(path: string, file: JournalFile, knows: ReadonlySet<string>): LogReader {
  const fairness = createFairness()
  const listeners: ((sight: JudgedLine) => void)[] = []
  let found: Fault[] = []
  let halted: Fault | undefined
  let begins = 0
  let recent = createRecordCache(START)
  let scanner = createScanner({ path, knows, show })

  return {
    get chain() {
      return scanner.chain
    },
    get point() {
      return scanner
    },
    get almost() {
      return scanner.almost
    },
    get last() {
      return { ...recent.last, begins }
    },
    get halted() {
      return halted
    },
    get forbidsWriting() {
      return halted ?? scanner.forbidsWriting
    },
    after,
    mayHaveMore: (from) => recent.last.seq > from.seq || (!scanner.stop && file.open() && look() > scanner.seen),
    catchUp,
    readBack(done, ours) {
      while (!done() && readOn(ours)) {}
    },
    onLine: (listener) => void listeners.push(listener),
    holdBackFor: fairness.left,
    forgetOwn: fairness.forget,
    resume(restored) {
      recent = createRecordCache(restored.cursor)
      begins = restored.begins
      scanner = createScanner({ path, knows, show, from: restored.point })
    },
    halt,
    ensureSame: () => void look(),
    faults() {
      const isShown = halted?.kind === 'replaced' || found.some(({ offset }) => offset === scanner.stop?.offset)
      const others = [isShown ? undefined : scanner.stop, scanner.tail, halted]
      return [...found, ...others.filter((fault) => fault !== undefined)]
    },
  }

  function after(from: Cursor): readonly Recorded[] {
    // Our own lines were read back when they were written; the file is looked at again for what comes behind them.
    const scanned = halted || !recent.reachesBackTo(from) ? undefined : recent.after(from)
    if (scanned && scanned.length > 0) return scanned
    if (!file.open()) return from.seq === 0 ? [] : lost(`there is nothing to read after byte ${from.seq}`)
    const size = look()
    if (!recent.reachesBackTo(from)) rewind()
    for (;;) {
      if (recent.last.seq > from.seq || scanner.offset >= from.seq) {
        const batch = recent.after(from) ?? lost(`the record ${from.id} does not end at byte ${from.seq}`)
        if (batch.length > 0) return batch
      }
      if (size <= scanner.seen || !readOn()) {
        if (scanner.stop && from.seq > scanner.offset) return []
        return recent.after(from) ?? lost(`the record ${from.id} is not there any more`)
      }
    }
  }

  function catchUp(): void {
    if (!file.open() || look() <= scanner.seen) return
    while (readOn()) {}
  }

  function readOn(ours?: readonly Frame[]): boolean {
    const hasMore = scanner.scan(file.readAt, ours)
    if (scanner.stop?.kind === 'replaced') lost(scanner.stop.detail)
    return hasMore
  }

  function rewind(): void {
    found = []
    recent = createRecordCache(START)
    scanner = createScanner({ path, knows, show })
  }

  function show(sight: JudgedLine): void {
    const { verdict, record, seq, line, offset, detail } = sight
    if (verdict === 'accepted') {
      recent.push({ seq, record: record! })
      begins = offset
      if (record!.after !== undefined) fairness.accepted(record!)
    } else if (verdict === 'refused') {
      fairness.refused(record!)
    } else if (verdict !== 'repeated') {
      found.push({ kind: verdict, path, line, offset, detail })
    }
    for (const listener of listeners) listener(sight)
  }

  function look(): number {
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
