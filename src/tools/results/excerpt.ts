import { stripVTControlCharacters } from 'node:util'
import { bytesLeftOutText } from '../../prompts/left-out.ts'

/** Head and tail of bytes that come in pieces, in bounded memory. */
export interface Excerpt {
  add(bytes: Uint8Array): void
  /** All of it, as long as that is not more than the limit. */
  whole(): Uint8Array | undefined
  /** What can be shown; where something is left out, `where` says how to see it. */
  text(where: string): string
}

export function createExcerpt(limit: number): Excerpt {
  // More of the end than of the beginning: that is where errors are.
  const [headSize, tailSize] = [Math.floor(limit * 0.3), Math.floor(limit * 0.5)]
  let total = 0
  let head = new Uint8Array(0)
  /** The newest pieces, at least `limit` bytes where there are so many. */
  let recent: Uint8Array[] = []
  let recentSize = 0

  return {
    add(bytes) {
      total += bytes.length
      if (head.length < headSize) head = concat([head, bytes.subarray(0, headSize - head.length)])
      const piece = bytes.slice(-limit)
      recent.push(piece)
      recentSize += piece.length
      while (recentSize - recent[0]!.length >= limit) recentSize -= recent.shift()!.length
      // Many tiny pieces would cost more than their bytes.
      if (recent.length > 1000) recent = [concat(recent)]
    },
    whole: () => (total <= limit ? concat(recent) : undefined),
    text(where) {
      if (total <= limit) return readable(concat(recent))
      const tail = concat(recent).slice(-tailSize)
      const left = total - head.length - tail.length
      const gap = bytesLeftOutText(left, total, where)
      return `${readable(wholeAtEnd(head))}\n\n${gap}\n\n${readable(wholeAtStart(tail))}`
    },
  }
}

/** Text a model can read: no colours and cursor moves, no NUL, no half characters. */
function readable(bytes: Uint8Array): string {
  return stripVTControlCharacters(new TextDecoder().decode(bytes)).replaceAll('\0', '␀')
}

function wholeAtStart(bytes: Uint8Array): Uint8Array {
  let start = 0
  while (start < 4 && start < bytes.length && isContinuation(bytes[start]!)) start++
  return bytes.subarray(start)
}

function wholeAtEnd(bytes: Uint8Array): Uint8Array {
  let start = bytes.length - 1
  while (start > bytes.length - 4 && start > 0 && isContinuation(bytes[start]!)) start--
  const first = bytes[start] ?? 0
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1
  return start + length > bytes.length ? bytes.subarray(0, start) : bytes
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80
}

function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(parts))
}
