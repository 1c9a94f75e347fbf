import { type Chain, createChain } from '../../../journal/log/acceptance.ts'
import { firstUnknown, MAX_RECORD_BYTES, toInstall } from '../../../journal/log/admission.ts'
import type { Audited, Fault, LogRecord } from '../../../journal/log/store.ts'
import { couldHaveCounted, isLegible, whyTailIsDamaged } from './damage.ts'
import { asWritten, decode, type Frame } from './line.ts'
import { repairCommand } from './repair-command.ts'
import { findTrailer, TRAILER } from './trailer.ts'

/** A line with its verdict, which is the same in every process. */
export interface JudgedLine extends Audited {
  readonly sum: string
  readonly detail: string
}

/** The position of a scanner: `offset` is the first byte that it has not consumed, on line number `line`. */
export interface ScanPoint {
  readonly offset: number
  readonly line: number
  readonly chain: Chain
}

export interface Scanner extends ScanPoint {
  /** How far the file was read, including an unfinished last line. */
  readonly seen: number
  /** The last line is a complete record without its newline: it counts as soon as any process writes. */
  readonly lacksNewline: boolean
  /** The fault that ended the reading: nothing behind it can be judged. */
  readonly stop: Fault | undefined
  /** The unfinished last line is damaged, not a write in progress. */
  readonly tail: Fault | undefined
  /** `stop`, a damaged line that no accepted decision follows yet, or a damaged end of the file. */
  readonly forbidsWriting: Fault | undefined
  /** Reads a batch and calls `show` for each line; false at the end. Lines equal to `ours` are not parsed again. */
  scan(read: ReadAt, ours?: readonly Frame[]): boolean
}

export type ReadAt = (into: Buffer, position: number) => number

export interface ScanOptions {
  readonly path: string
  readonly knows: ReadonlySet<string>
  readonly show: (judged: JudgedLine) => void
  readonly from?: ScanPoint
  /** Also shows the lines behind `stop`, with its verdict. */
  readonly readsBeyondStop?: boolean
}

const BATCH_BYTES = 256 * 1024
const MAX_LINE_BYTES = MAX_RECORD_BYTES + 1024
const NEWLINE = 10
/** Bytes that are read again each time, to notice a file that was overwritten in place: enough to hold a sum. */
const OVERLAP_BYTES = 32

// Shared by all handles: a scan never awaits and never nests.
const scratch = Buffer.allocUnsafe(BATCH_BYTES)

export function createScanner({ path, knows, show, from, readsBeyondStop = false }: ScanOptions): Scanner {
  const chain = from?.chain ?? createChain()
  let offset = from?.offset ?? 0
  let line = from?.line ?? 1
  let seen = offset
  let lacksNewline = false
  let known: Buffer | undefined = offset === 0 ? Buffer.alloc(0) : undefined
  let stop: Fault | undefined
  let unsettled: Fault | undefined
  let tail: Fault | undefined

  return {
    chain,
    get offset() {
      return offset
    },
    get line() {
      return line
    },
    get seen() {
      return seen
    },
    get lacksNewline() {
      return lacksNewline
    },
    get stop() {
      return stop
    },
    get tail() {
      return tail
    },
    get forbidsWriting() {
      return stop ?? unsettled ?? tail
    },
    scan,
  }

  function scan(read: ReadAt, ours: readonly Frame[] = []): boolean {
    for (let size = BATCH_BYTES; !stop || readsBeyondStop; size = Math.min(size * 4, MAX_LINE_BYTES)) {
      const bytes = load(read, size)
      if (!bytes) return false
      const isEnd = bytes.length < size - OVERLAP_BYTES
      const consumed = consume(bytes, ours)
      lookAtTail(isEnd && !stop ? bytes.subarray(consumed) : bytes.subarray(0, 0))
      if (consumed > 0 || isEnd) return !isEnd
      if (size === MAX_LINE_BYTES) stop = fault('damaged', 'it is longer than 16 MB')
      if (stop) return false
    }
    return false
  }

  /** The bytes from `offset` on, if the bytes before it are still those that were consumed. */
  function load(read: ReadAt, size: number): Buffer | undefined {
    // A buffer for one huge line is not kept.
    const buffer = size === BATCH_BYTES ? scratch : Buffer.allocUnsafe(size)
    const overlap = known?.length ?? Math.min(OVERLAP_BYTES, offset)
    const bytes = buffer.subarray(0, read(buffer, offset - overlap))
    const before = bytes.subarray(0, overlap)
    known ??= Buffer.from(before)
    if (before.equals(known) && before.length === overlap) return bytes.subarray(overlap)
    stop = fault('replaced', 'the bytes already read are no longer there')
    return undefined
  }

  /** Judges all complete lines of `bytes`, which begin at `offset` in the file; returns how many bytes they were. */
  function consume(bytes: Buffer, ours: readonly Frame[]): number {
    const base = offset
    let at = 0
    let torn = -1
    while (at < bytes.length) {
      const end = bytes[at] === NEWLINE ? at : bytes.indexOf(NEWLINE, at)
      if (end < 0) break
      const wasTorn = end > at && judge(bytes, at, end, torn, ours)
      if (stop && !readsBeyondStop) break
      torn = wasTorn ? at : -1
      at = end + 1
      offset = base + at
      line++
    }
    if (at > 0) known = Buffer.from(bytes.subarray(Math.max(0, at - OVERLAP_BYTES), at))
    return at
  }

  /** Returns whether the line was torn: the next line may then be its rest, cut off by a changed byte. */
  function judge(bytes: Buffer, from: number, to: number, torn: number, ours: readonly Frame[]): boolean {
    const read = asWritten(ours, bytes, from, to) ?? decode(bytes, from, to)
    const seq = offset + to - from + 1
    if (read.flaw === undefined) {
      const { record, sum } = read
      const verdict = judgeRecord(record)
      show({ verdict, record, sum, line, offset, seq, detail: stop?.detail ?? '' })
      return false
    }
    if (read.flaw === 'needs newer') stop ??= fault('needs newer', read.detail)
    if (read.flaw === 'damaged') {
      const whole = torn >= 0 && !isLegible(bytes.subarray(from, to)) ? torn : from
      if (couldHaveCounted(bytes.subarray(whole, to), chain.last)) chain.lose()
      unsettled ??= fault('damaged', read.detail)
    }
    show({ verdict: read.flaw, sum: '', line, offset, seq, detail: read.detail })
    return read.flaw === 'torn'
  }

  function judgeRecord(record: LogRecord): Audited['verdict'] {
    if (stop) return verdictOf(stop)
    const verdict = chain.judge(record)
    if (verdict === 'broken') stop = fault('broken chain', `it follows ${record.after}, which is not in the log`)
    if (verdict === 'accepted') {
      const need = record.needs && firstUnknown(record, knows)
      if (need) stop = fault('needs newer', toInstall(need))
      if (record.after !== undefined) unsettled = undefined
    }
    return stop ? verdictOf(stop) : (verdict as Exclude<typeof verdict, 'broken'>)
  }

  function lookAtTail(bytes: Buffer): void {
    seen = offset + bytes.length
    const why = bytes.length > 0 && whyTailIsDamaged(bytes)
    tail = why ? fault('damaged', why) : undefined
    lacksNewline = bytes.length >= TRAILER && findTrailer(bytes) === bytes.length - TRAILER
  }

  function fault(kind: Fault['kind'], detail: string): Fault {
    const isRepairable = kind === 'damaged' || kind === 'broken chain'
    return { kind, path, line, offset, detail, ...(isRepairable && { advice: `Run: ${repairCommand(path)}` }) }
  }
}

function verdictOf(stop: Fault): Audited['verdict'] {
  return stop.kind === 'broken chain' || stop.kind === 'needs newer' ? stop.kind : 'damaged'
}
