import { hash } from 'node:crypto'

/**
 * The end of every line or file that we write: `,"sum":"0123456789abcdef"}`, a hash of all bytes before it. A line with this
 * end was written completely; one with a correct sum was not changed since.
 */
export const TRAILER = 26

const START = Buffer.from(',"sum":"')
const QUOTE = 0x22
const CLOSE = 0x7d

export function sumOf(bytes: string | Buffer): string {
  return hash('sha256', bytes, 'hex').slice(0, 16)
}

export function withTrailer(body: string): { text: string; sum: string } {
  const sum = sumOf(body)
  return { text: `${body},"sum":"${sum}"}`, sum }
}

/** Reserves the place of the sum, which is computed when the bytes before it are known. */
export const EMPTY_TRAILER = `,"sum":"${'0'.repeat(16)}"}`

/** Puts the sum of what stands between `from` and `at` into the trailer at `at`. */
export function putSum(bytes: Buffer, from: number, at: number): string {
  const sum = sumOf(bytes.subarray(from, at))
  bytes.write(sum, at + 8, 'latin1')
  return sum
}

/** Whether a trailer begins at `at`, whatever its digits. */
export function hasTrailer(bytes: Buffer, at: number): boolean {
  if (bytes[at + 25] !== CLOSE || bytes[at + 24] !== QUOTE) return false
  for (let i = 0; i < START.length; i++) if (bytes[at + i] !== START[i]) return false
  return true
}

/** The sum in the trailer at `at` if it fits what is between `from` and it. */
export function fittingSum(bytes: Buffer, from: number, at: number): string | undefined {
  const sum = sumAt(bytes, at)
  return hash('sha256', bytes.subarray(from, at), 'hex').startsWith(sum) ? sum : undefined
}

function sumAt(bytes: Buffer, at: number): string {
  return bytes.toString('latin1', at + 8, at + 24)
}

/** The first place from `from` on where a complete trailer stands, or -1. */
export function findTrailer(bytes: Buffer, from = 0): number {
  for (let at = bytes.indexOf(START, from); at >= 0; at = bytes.indexOf(START, at + 1)) {
    if (hasTrailer(bytes, at) && isHex(sumAt(bytes, at))) return at
  }
  return -1
}

/** Whether the last bytes are a trailer in which at most `most` bytes are wrong, or the last one is missing. */
export function nearlyEndsWithTrailer(bytes: Buffer, most: number): boolean {
  if (bytes.length >= TRAILER - 1 && isHex(bytes.toString('latin1', bytes.length - 17, bytes.length - 1))) {
    if (bytes.subarray(-25, -17).equals(START) && bytes.at(-1) === QUOTE) return true
  }
  if (bytes.length < TRAILER) return false
  let wrong = 0
  for (const [i, byte] of bytes.subarray(-TRAILER).entries()) {
    const fits = i < 8 ? byte === START[i] : i < 24 ? isHexDigit(byte) : byte === (i === 24 ? QUOTE : CLOSE)
    if (!fits && ++wrong > most) return false
  }
  return true
}

function isHex(text: string): boolean {
  return /^[0-9a-f]{16}$/.test(text)
}

function isHexDigit(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x66)
}
