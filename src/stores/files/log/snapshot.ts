import { ulid } from 'ulid'
import { createChain, type KeptChain } from '../../../journal/log/acceptance.ts'
import { MAX_RECORD_BYTES } from '../../../journal/log/admission.ts'
import type { Cursor } from '../../../journal/log/cursor.ts'
import type { Json } from '../../../team/data/json.ts'
import { codeOf, type Disk } from '../disk.ts'
import { replaceFile } from '../replace-file.ts'
import { decode } from './line.ts'
import type { ReadAt, ScanPoint } from './scanner.ts'
import { fittingSum, hasTrailer, sumOf, TRAILER, withTrailer } from './trailer.ts'

/** A folded state kept beside its log, to open fast. Like a view it may be lost and decides nothing. */
interface Kept {
  readonly v: 1
  readonly fold: number
  readonly cursor: Cursor
  /** Where the line of the record at the cursor begins. */
  readonly begins: number
  /** Where reading continues. */
  readonly offset: number
  /** The sum of what was read behind the record at the cursor: lines that do not count. Older versions wrote none. */
  readonly behind?: string
  readonly line: number
  readonly chain: KeptChain
  readonly state: Json
}

export interface Restored {
  readonly cursor: Cursor
  readonly begins: number
  readonly point: ScanPoint
  readonly state: Json
}

export function writeSnapshot(disk: Disk, path: string, readLog: ReadAt, kept: Omit<Kept, 'v' | 'behind'>): void {
  const behind = sumBehind(kept, readLog)
  if (behind === undefined) return
  const body = JSON.stringify({ v: 1, ...kept, behind })
  replaceFile(disk, path, Buffer.from(`${withTrailer(body.slice(0, -1)).text}\n`))
}

/** Undefined if there is none that fits this fold and this log. A broken one is renamed, with a warning. */
export function readSnapshot(
  disk: Disk,
  path: string,
  fold: number,
  readLog: ReadAt,
  warn: (message: string) => void,
): Restored | undefined {
  const kept = load(disk, path, warn)
  if (kept?.v !== 1 || kept.fold !== fold || !fits(kept, readLog)) return undefined
  const { cursor, begins, state, offset, line } = kept
  return { cursor, begins, state, point: { offset, line, chain: createChain(kept.chain) } }
}

function load(disk: Disk, path: string, warn: (message: string) => void): Kept | undefined {
  try {
    const bytes = disk.readFileSync(path)
    const end = bytes.length - TRAILER - 1
    if (end > 0 && hasTrailer(bytes, end) && fittingSum(bytes, 0, end)) return JSON.parse(bytes.toString()) as Kept
    const renamed = `${path}.${ulid()}.broken`
    disk.renameSync(path, renamed)
    warn(`${path} was broken. It is now ${renamed}; the journal is read from its beginning instead.`)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') warn(`${path} cannot be used (${error}); the journal is read from its beginning.`)
  }
  return undefined
}

/**
 * Whether the record at the cursor is still the last that was folded, and what was read behind it is still there. Lines that do
 * not count are not synced: a power cut may take them, and reading on would begin in the middle of a newer record, or behind it.
 */
function fits(kept: Kept, readLog: ReadAt): boolean {
  const { cursor, begins, offset, chain } = kept
  const length = cursor.seq - begins
  if (length <= 0 || length > MAX_RECORD_BYTES + 1 || offset < cursor.seq || cursor.last !== chain.last) return false
  const line = Buffer.alloc(length)
  if (readLog(line, begins) < length) return false
  if (offset > cursor.seq && (kept.behind === undefined || sumBehind(kept, readLog) !== kept.behind)) return false
  const { record } = decode(line, 0, length - 1)
  if (record?.id !== cursor.id) return false
  return record.after === undefined || cursor.last === record.id
}

/** Undefined if the log does not reach that far, or it is more than a record. */
function sumBehind({ cursor, offset }: Pick<Kept, 'cursor' | 'offset'>, readLog: ReadAt): string | undefined {
  const length = offset - cursor.seq
  if (length > MAX_RECORD_BYTES) return undefined
  const lines = Buffer.alloc(length)
  return readLog(lines, cursor.seq) < length ? undefined : sumOf(lines)
}
