import { findTrailer, nearlyEndsWithTrailer, TRAILER } from './trailer.ts'

/** How many bytes of a pattern may be wrong. A flipped byte needs one. */
const MISMATCHES = 2

const BEGINNING = Buffer.from('{"v":')
const IDENTITY = Buffer.from('"v":1,"id":"')

/**
 * Torn or damaged? A writer that dies leaves the beginning of a line and nothing else. Every other line without a correct end
 * was complete once, and may be a decision that was acknowledged.
 */
export function whyUnreadable(line: Buffer): { flaw: 'torn' | 'damaged'; detail: string } {
  if (findTrailer(line) >= 0) return damaged('there is text behind its end')
  if (nearlyEndsWithTrailer(line, MISMATCHES)) return damaged('its end was changed')
  if (!line.subarray(0, BEGINNING.length).equals(BEGINNING.subarray(0, line.length))) {
    return damaged('it does not begin like a record')
  }
  return { flaw: 'torn', detail: 'its writer died or ran out of space before the end of the line' }
}

/** The file ends without a newline: a write in progress (undefined), or a line whose newline was changed. */
export function whyTailIsDamaged(tail: Buffer): string | undefined {
  const at = findTrailer(tail)
  return at >= 0 && at + TRAILER < tail.length ? 'there is something other than a newline behind its end' : undefined
}

/**
 * Whether this damaged line may have been the accepted decision after `last`. Then no line behind it that names `last` may
 * count: it lost against this one. A line that is certainly a fact, or a decision after another id, may be skipped.
 */
export function couldHaveCounted(line: Buffer, last: string): boolean {
  return !isLegible(line) || findNearly(line, Buffer.from(`","after":${JSON.stringify(last)}`)) >= 0
}

/** Whether it still begins like a record, with up to two extra bytes in front and a few changed ones. */
export function isLegible(line: Buffer): boolean {
  return findNearly(line.subarray(0, IDENTITY.length + 2), IDENTITY) >= 0
}

function findNearly(bytes: Buffer, wanted: Buffer): number {
  for (let at = 0; at + wanted.length <= bytes.length; at++) {
    let wrong = 0
    for (let i = 0; i < wanted.length && wrong <= MISMATCHES; i++) if (bytes[at + i] !== wanted[i]) wrong++
    if (wrong <= MISMATCHES) return at
  }
  return -1
}

function damaged(detail: string) {
  return { flaw: 'damaged', detail } as const
}
