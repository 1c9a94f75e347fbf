import { fstatSync, readSync } from 'node:fs'
import { beginning } from '../../team/wording.ts'

export interface Page {
  /** Numbered lines. */
  readonly text: string
  readonly first: number
  readonly last: number
  readonly isEnd: boolean
  /** Of the whole file; undefined where reading on to count them would take too long. */
  readonly total: number | undefined
}

/** The most characters of one page. */
const MAX_CHARACTERS = 50_000
/** Of one line; generated files have lines of megabytes. */
const MAX_LINE_CHARACTERS = 2000
/** A larger file is not read to its end only to count its lines. */
const MAX_COUNTED_BYTES = 16 * 1024 * 1024
const CHUNK_BYTES = 1024 * 1024

/**
 * `limit` lines from line `offset` on, in memory that does not grow with the file. Reads in chunks, so that other
 * agents run while it searches for line 10,000,000.
 */
export async function readPage(fd: number, offset: number, limit: number, signal: AbortSignal): Promise<Page> {
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(4096, fstatSync(fd).size + 1)))
  const decoder = new TextDecoder()
  const lines: string[] = []
  let characters = 0
  let number = 1
  let line = ''
  let isFull = false
  const finish = () => {
    if (number >= offset && !isFull) {
      const text = `${String(number).padStart(6)}\t${cut(line.replace(/\r$/, ''))}`
      isFull = lines.length === limit || (lines.length > 0 && characters + text.length > MAX_CHARACTERS)
      if (!isFull) lines.push(text)
      characters += text.length + 1
    }
    number++
    line = ''
  }
  let position = 0
  for (;;) {
    signal.throwIfAborted()
    const read = readSync(fd, chunk, 0, chunk.length, position)
    position += read
    const parts = decoder.decode(chunk.subarray(0, read), { stream: read > 0 }).split('\n')
    parts.forEach((part, i) => {
      if (i > 0) finish()
      if (line.length <= MAX_LINE_CHARACTERS) line += part
    })
    const isDone = read === 0
    if (isDone && line !== '') finish()
    if (isDone || (isFull && position > MAX_COUNTED_BYTES)) {
      const total = isDone ? number - 1 : undefined
      return { text: lines.join('\n'), first: offset, last: offset + lines.length - 1, isEnd: isDone && !isFull, total }
    }
    if (position >= CHUNK_BYTES) await new Promise(setImmediate)
  }
}

function cut(line: string): string {
  return line.length <= MAX_LINE_CHARACTERS
    ? line
    : `${beginning(line, MAX_LINE_CHARACTERS)} [this line is longer; show all of it with bash]`
}
