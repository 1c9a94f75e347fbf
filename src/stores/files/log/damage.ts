import { findTrailer, nearlyEndsWithTrailer, TRAILER } from './trailer.ts'

/** Bytes that may be wrong in something we still recognise. One flipped byte needs one. */
const MISMATCHES = 2

const BEGINNING = Buffer.from('{"v":')
const IDENTITY = Buffer.from('"v":1,"id":"')

/**
 * Torn or damaged? A writer that dies leaves a piece from the beginning of a line, never anything else. All other
 * lines without a proper end were whole once, and one of them may be a decision that somebody was told about.
 */
export function whyUnreadable(line: Buffer): { flaw: 'torn' | 'damaged'; detail: string } {
  if (findTrailer(line) >= 0) return damaged('something stands behind its end')
  if (nearlyEndsWithTrailer(line, MISMATCHES)) return damaged('its end is mutilated')
  if (!line.subarray(0, BEGINNING.length).equals(BEGINNING.subarray(0, line.length))) {
    return damaged('it does not begin like a record')
  }
  return { flaw: 'torn', detail: 'its writer died or ran out of space before the end of the line' }
}

/** The end of the file without a newline: a write in flight, or (said here) a line whose newline was changed. */
export function whyTailIsDamaged(tail: Buffer): string | undefined {
  const at = findTrailer(tail)
  return at >= 0 && at + TRAILER < tail.length ? 'something other than a newline stands behind its end' : undefined
}

/**
 * Could this damaged line have been the decision that counted next after `last`? If it could, none of the lines behind
 * it that name `last` may count now: they lost against it. What is certainly a fact, or a decision that named
 * something else, changed nothing and may be skipped.
 */
export function couldHaveCounted(line: Buffer, last: string): boolean {
  return !isLegible(line) || findNearly(line, Buffer.from(`","after":${JSON.stringify(last)}`)) >= 0
}

/** Does it still begin like a record, give or take a byte in front and a few changed ones? */
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
