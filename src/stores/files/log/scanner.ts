import { type Chain, createChain } from '../../../journal/acceptance.ts'
import { firstUnknown, MAX_RECORD_BYTES, toInstall } from '../../../journal/admission.ts'
import type { Audited, Fault, LogRecord } from '../../../journal/store.ts'
import { couldHaveCounted, isLegible, whyTailIsDamaged } from './damage.ts'
import { asWritten, decode, type Frame } from './line.ts'
import { repairCommand } from './repair-command.ts'
import { findTrailer, TRAILER } from './trailer.ts'

/** A line that was just judged, by the same rule in every process. */
export interface JudgedLine extends Audited {
  readonly sum: string
  readonly detail: string
}

/** Where a scanner stands: `offset` is the first byte it has not consumed, on line number `line`. */
export interface ScanPoint {
  readonly offset: number
  readonly line: number
  readonly chain: Chain
}

export interface Scanner extends ScanPoint {
  /** How far the file has been looked at, including an unfinished last line. */
  readonly seen: number
  /** The unfinished last line is a whole record that lacks only its newline: it counts as soon as anybody writes. */
  readonly almost: boolean
  /** What ended the reading for good: nothing behind it can be judged. */
  readonly stop: Fault | undefined
  /** The unfinished last line is not a write in flight. */
  readonly tail: Fault | undefined
  /** `stop`, a damaged line behind which no decision counted yet, or a damaged end of the file. */
  readonly forbidsWriting: Fault | undefined
  /** Reads a batch, showing each of its lines; false when it came to the end. Lines like `ours` are not parsed again. */
  scan(read: ReadAt, ours?: readonly Frame[]): boolean
}

export type ReadAt = (into: Buffer, position: number) => number

export interface ScanOptions {
  readonly path: string
  readonly knows: ReadonlySet<string>
  readonly show: (sight: JudgedLine) => void
  readonly from?: ScanPoint
  /** Show also what stands behind the place where reading has to stop, with the verdict of that place. */
  readonly beyond?: boolean
}

const BATCH = 256 * 1024
const LONGEST = MAX_RECORD_BYTES + 1024
const NEWLINE = 10
/** Bytes read again each time, to notice a file that was replaced in place: enough to hold a sum. */
const OVERLAP = 32

// Shared by all handles: a scan never waits and never nests.
const scratch = Buffer.allocUnsafe(BATCH)

export function createScanner({ path, knows, show, from, beyond = false }: ScanOptions): Scanner {
  const chain = from?.chain ?? createChain()
  let offset = from?.offset ?? 0
  let line = from?.line ?? 1
  let seen = offset
  let almost = false
  let known: Buffer | undefined = offset === 0 ? Buffer.alloc(0) : undefined
  let stop: Fault | undefined
  let doubt: Fault | undefined
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
    get almost() {
      return almost
    },
    get stop() {
      return stop
    },
    get tail() {
      return tail
    },
    get forbidsWriting() {
      return stop ?? doubt ?? tail
    },
    scan,
  }

  function scan(read: ReadAt, ours: readonly Frame[] = []): boolean {
    for (let size = BATCH; !stop || beyond; size = Math.min(size * 4, LONGEST)) {
      const bytes = load(read, size)
      if (!bytes) return false
      const isEnd = bytes.length < size - OVERLAP
      const consumed = consume(bytes, ours)
      lookAtTail(isEnd && !stop ? bytes.subarray(consumed) : bytes.subarray(0, 0))
      if (consumed > 0 || isEnd) return !isEnd
      if (size === LONGEST) stop = fault('damaged', 'it is longer than 16 MB')
      if (stop) return false
    }
    return false
  }

  /** The bytes from `offset` on, if those in front of it are still the ones we consumed. */
  function load(read: ReadAt, size: number): Buffer | undefined {
    // A buffer for one huge line is not worth keeping.
    const buffer = size === BATCH ? scratch : Buffer.allocUnsafe(size)
    const overlap = known?.length ?? Math.min(OVERLAP, offset)
    const bytes = buffer.subarray(0, read(buffer, offset - overlap))
    const before = bytes.subarray(0, overlap)
    known ??= Buffer.from(before)
    if (before.equals(known) && before.length === overlap) return bytes.subarray(overlap)
    stop = fault('replaced', 'the bytes already read are no longer there')
    return undefined
  }

  /** All whole lines of `bytes`, which stand in the file from `offset` on; returns how many bytes they were. */
  function consume(bytes: Buffer, ours: readonly Frame[]): number {
    const base = offset
    let at = 0
    let torn = -1
    while (at < bytes.length) {
      const end = bytes[at] === NEWLINE ? at : bytes.indexOf(NEWLINE, at)
      if (end < 0) break
      const wasTorn = end > at && judge(bytes, at, end, torn, ours)
      if (stop && !beyond) break
      torn = wasTorn ? at : -1
      at = end + 1
      offset = base + at
      line++
    }
    if (at > 0) known = Buffer.from(bytes.subarray(Math.max(0, at - OVERLAP), at))
    return at
  }

  /** Returns whether the line was torn: what follows may then be the rest of it, cut off by a changed byte. */
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
      doubt ??= fault('damaged', read.detail)
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
      if (record.after !== undefined) doubt = undefined
    }
    return stop ? verdictOf(stop) : (verdict as Exclude<typeof verdict, 'broken'>)
  }

  function lookAtTail(bytes: Buffer): void {
    seen = offset + bytes.length
    const why = bytes.length > 0 && whyTailIsDamaged(bytes)
    tail = why ? fault('damaged', why) : undefined
    almost = bytes.length >= TRAILER && findTrailer(bytes) === bytes.length - TRAILER
  }

  function fault(kind: Fault['kind'], detail: string): Fault {
    const mendable = kind === 'damaged' || kind === 'broken chain'
    return { kind, path, line, offset, detail: mendable ? `${detail}. Run: ${repairCommand(path)}` : detail }
  }
}

function verdictOf(stop: Fault): Audited['verdict'] {
  return stop.kind === 'broken chain' || stop.kind === 'needs newer' ? stop.kind : 'damaged'
}
