import { isId, MAX_RECORD_BYTES, toInstall } from '../../../journal/log/admission.ts'
import type { LogRecord } from '../../../journal/log/store.ts'
import { orUndefined } from '../disk.ts'
import { whyUnreadable } from './damage.ts'
import { EMPTY_TRAILER, fittingSum, hasTrailer, putSum, TRAILER } from './trailer.ts'

/**
 * One record on disk: a newline, one line of JSON, a newline. The first newline separates the record from the torn line of a
 * writer that died. `v` comes first and `sum`, a hash of all before it, last:
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

/** Undefined if the record is longer than readers accept. */
export function encode(record: LogRecord): Frame | undefined {
  const body = `{"v":${VERSION},${JSON.stringify(inOrder(record)).slice(1, -1)}`
  // Put into bytes once: the sum is taken of them and written into its place.
  const bytes = Buffer.from(`\n${body}${EMPTY_TRAILER}\n`)
  const sum = putSum(bytes, 1, bytes.length - 1 - TRAILER)
  return bytes.length - 2 > MAX_RECORD_BYTES ? undefined : { bytes, sum, record }
}

/** Puts the members that every reader needs first: people read these lines too. */
function inOrder(record: LogRecord): LogRecord {
  const isPlain = record.after === undefined && record.tries === undefined && record.needs === undefined
  if (isPlain && Object.keys(record)[0] === 'id') return record
  const { id, after, tries, needs, ...rest } = record
  return { id, after, tries, needs, ...rest }
}

/**
 * torn         its writer died while writing it; it never counted
 * damaged      it was complete and was changed since
 * needs newer  complete, but written by a newer version
 */
export type Line =
  | { readonly record: LogRecord; readonly sum: string; readonly flaw?: undefined }
  | { readonly flaw: 'torn' | 'damaged' | 'needs newer'; readonly detail: string; readonly record?: undefined }

/**
 * Parses the line `bytes[from, to)`, without its newline. The usual line is parsed in place without a copy: moving the
 * braces inwards cuts off `v` and `sum`, which leaves what the writer passed.
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

/** A line that equals one of our own byte for byte need not be parsed again. */
export function asWritten(frames: readonly Frame[], bytes: Buffer, from: number, to: number): Line | undefined {
  for (const { bytes: own, sum, record } of frames) {
    if (own.length - 2 === to - from && bytes.compare(own, 1, own.length - 1, from, to) === 0) return { record, sum }
  }
  return undefined
}

/** A line whose first member is not our `v`: from a later version, or in another order. */
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

/** A correct sum says that the line was not changed, not that its writer knew the format. */
function hasOurShape({ needs, tries }: LogRecord): boolean {
  const needsAreNames = needs === undefined || (Array.isArray(needs) && needs.every((need) => typeof need === 'string'))
  return needsAreNames && (tries === undefined || typeof tries === 'number')
}

function parse(text: string): unknown {
  return orUndefined(() => JSON.parse(text))
}

function startsWith(bytes: Buffer, at: number, text: Buffer): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text[i]) return false
  return true
}
