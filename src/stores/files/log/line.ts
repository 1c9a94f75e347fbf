import { isId, MAX_RECORD_BYTES, toInstall } from '../../../journal/admission.ts'
import type { LogRecord } from '../../../journal/store.ts'
import { whyUnreadable } from './damage.ts'
import { EMPTY_TRAILER, fittingSum, hasTrailer, putSum, TRAILER } from './trailer.ts'

/**
 * One record on disk: a newline, one line of JSON, a newline. The newline in front keeps a writer that died in the
 * middle of a line from swallowing the next one. `v` comes first and `sum`, a hash of all before it, last:
 * {"v":1,"id":"…","after":"…", … ,"sum":"0123456789abcdef"}
 */
export interface Frame {
  readonly bytes: Buffer
  readonly sum: string
  readonly record: LogRecord
}

const VERSION = 1
const HEAD = Buffer.from(`{"v":${VERSION},`)
const OPEN = 0x7b
const CLOSE = 0x7d
const COMMA = 0x2c

/** Undefined if the record is longer than any reader would take. */
export function encode(record: LogRecord): Frame | undefined {
  const body = `{"v":${VERSION},${JSON.stringify(inOrder(record)).slice(1, -1)}`
  // Put into bytes once: the sum is taken of them and written into its place.
  const bytes = Buffer.from(`\n${body}${EMPTY_TRAILER}\n`)
  const sum = putSum(bytes, 1, bytes.length - 1 - TRAILER)
  return bytes.length - 2 > MAX_RECORD_BYTES ? undefined : { bytes, sum, record }
}

/** Members every reader looks at come first, wherever the writer put them: people read these lines too. */
function inOrder(record: LogRecord): LogRecord {
  const isPlain = record.after === undefined && record.tries === undefined && record.needs === undefined
  if (isPlain && Object.keys(record)[0] === 'id') return record
  const { id, after, tries, needs, ...rest } = record
  return { id, after, tries, needs, ...rest }
}

/**
 * torn         somebody died while writing it; it never counted
 * damaged      it was whole once and is not what was written
 * needs newer  whole, but written by a version that knows more than we do
 */
export type Line =
  | { readonly record: LogRecord; readonly sum: string; readonly flaw?: undefined }
  | { readonly flaw: 'torn' | 'damaged' | 'needs newer'; readonly detail: string; readonly record?: undefined }

/**
 * Reads the line `bytes[from, to)`, newline excluded. The usual line is judged in place without a copy: `v` and `sum`
 * are cut off by moving the braces inwards, so what comes back is what the writer gave.
 */
export function decode(bytes: Buffer, from: number, to: number): Line {
  const end = to - TRAILER
  if (end <= from || !hasTrailer(bytes, end)) return whyUnreadable(bytes.subarray(from, to))
  const sum = fittingSum(bytes, from, end)
  if (!sum) return { flaw: 'damaged', detail: 'its sum does not fit' }
  if (!startsWith(bytes, from, HEAD)) return decodeOther(bytes.toString('utf8', from, to), sum)
  const open = from + HEAD.length - 1
  bytes[open] = OPEN
  bytes[end] = CLOSE
  const record = parse(bytes.toString('utf8', open, end + 1))
  bytes[open] = COMMA
  bytes[end] = COMMA
  return isRecord(record) && hasOurShape(record) ? { record, sum } : NO_RECORD
}

/** A line that stands in the file byte for byte as we wrote it says what we said: it need not be taken apart again. */
export function asWritten(frames: readonly Frame[], bytes: Buffer, from: number, to: number): Line | undefined {
  for (const { bytes: own, sum, record } of frames) {
    if (own.length - 2 === to - from && bytes.compare(own, 1, own.length - 1, from, to) === 0) return { record, sum }
  }
  return undefined
}

/** A line whose first member is not the `v` we write: a later version's, or somebody else's idea of order. */
function decodeOther(text: string, sum: string): Line {
  const value = parse(text)
  if (!isRecord(value)) return NO_RECORD
  const { v, sum: _, ...record } = value
  if (v === VERSION) return hasOurShape(value) ? { record: record as LogRecord, sum } : NO_RECORD
  if (typeof v !== 'number') return NO_RECORD
  const need: unknown = Array.isArray(value.needs) ? value.needs[0] : undefined
  return {
    flaw: 'needs newer',
    detail: typeof need === 'string' ? toInstall(need) : `has format ${v}: install a newer deskmates`,
  }
}

const NO_RECORD: Line = { flaw: 'damaged', detail: 'it is not a JSON object with v and id' }

function isRecord(value: unknown): value is LogRecord {
  if (typeof value !== 'object' || value === null || !('id' in value) || !isId(value.id)) return false
  return !('after' in value) || typeof value.after === 'string'
}

/** A proper sum says that nobody changed the line, not that whoever wrote it knew what belongs there. */
function hasOurShape({ needs, tries }: LogRecord): boolean {
  const needsAreNames = needs === undefined || (Array.isArray(needs) && needs.every((need) => typeof need === 'string'))
  return needsAreNames && (tries === undefined || typeof tries === 'number')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function startsWith(bytes: Buffer, at: number, text: Buffer): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text[i]) return false
  return true
}
