import { constants } from 'node:fs'
import { codeOf, type Disk, orUndefined } from '../disk.ts'
import { createPartialLines, type Found } from './partial-lines.ts'

/** One archived inbox file, read in chunks. Late writers may still append to it. */
export interface Archive {
  /** Its id in the journal. */
  readonly id: string
  readonly mailbox: string
  readonly path: string
  /** In milliseconds since 1970. */
  readonly archivedAt: number
  /** Lines that were read and are not yet in the journal, in the order of their ends. */
  pending: Found[]
  /** How far it was read. */
  size(): number
  /** Whether it was read to its end at a time when no program could still be writing. */
  isFinished(): boolean
  /** Beginnings of lines whose rest is missing. */
  unfinished(): readonly Found[]
  /**
   * Reads on until enough is pending. `isFinal`: no program is still writing, so text at the end without a newline is a
   * line too. Returns whether all was read; undefined when there is no such file.
   */
  readOn(isFinal: boolean): boolean | undefined
}

/** How much is read, kept in memory and written to the journal at once. */
export const MAX_INCOMING_LINES = 1000
export const MAX_INCOMING_BYTES = 4 * 1024 * 1024

const CHUNK_BYTES = 256 * 1024
/** The longest line that we write: 1 MB of content in which every character is escaped. */
const MAX_LINE_BYTES = 16 * 1024 * 1024
const KEPT_OF_LONG_LINE_BYTES = 8 * 1024

export function openArchive(
  disk: Disk,
  { id, mailbox, path, archivedAt }: Pick<Archive, 'id' | 'mailbox' | 'path' | 'archivedAt'>,
): Archive {
  // Every process reads from the beginning: a line may have begun before the part that is already in the journal.
  const partialLines = createPartialLines()
  let position = 0
  let lineStart = 0
  let line: Buffer[] = []
  let lineLength = 0
  let pendingBytes = 0
  let finished = false

  const archive: Archive = {
    ...{ id, mailbox, path, archivedAt, pending: [], readOn },
    size: () => position,
    isFinished: () => finished,
    unfinished: partialLines.unfinished,
  }
  return archive

  function readOn(isFinal: boolean): boolean | undefined {
    let fd: number
    try {
      // A symbolic link could lead anywhere; an archive is a plain file.
      fd = disk.openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    } catch (error) {
      if (['ENOENT', 'ELOOP'].includes(codeOf(error) ?? '')) return undefined
      throw error
    }
    try {
      if (!disk.fstatSync(fd).isFile()) return undefined
      pendingBytes = archive.pending.reduce((sum, { bytes }) => sum + bytes.length, 0)
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
      while (archive.pending.length < MAX_INCOMING_LINES && pendingBytes < MAX_INCOMING_BYTES) {
        const length = disk.readSync(fd, chunk, 0, CHUNK_BYTES, position)
        if (length === 0) {
          if (isFinal || isComplete()) endLine(position)
          finished = isFinal
          return true
        }
        take(chunk.subarray(0, length))
        position += length
      }
      return false
    } finally {
      disk.closeSync(fd)
    }
  }

  function take(bytes: Buffer): void {
    for (let from = 0; from < bytes.length; ) {
      const newline = bytes.indexOf(0x0a, from)
      const to = newline === -1 ? bytes.length : newline
      keep(bytes.subarray(from, to))
      if (newline === -1) return
      endLine(position + newline + 1)
      from = newline + 1
    }
  }

  function keep(bytes: Buffer): void {
    if (lineLength + bytes.length > MAX_LINE_BYTES && line.length > 0)
      line = [Buffer.concat(line).subarray(0, KEPT_OF_LONG_LINE_BYTES)]
    if (lineLength <= MAX_LINE_BYTES) line.push(Buffer.from(bytes))
    lineLength += bytes.length
  }

  function endLine(end: number): void {
    const bytes = line.length === 1 && line[0] ? line[0] : Buffer.concat(line)
    const found =
      lineLength > MAX_LINE_BYTES
        ? [{ offset: lineStart, end, bytes: bytes.subarray(0, KEPT_OF_LONG_LINE_BYTES), value: undefined }]
        : partialLines.add(bytes, lineStart, end)
    archive.pending.push(...found)
    pendingBytes += bytes.length
    line = []
    lineLength = 0
    lineStart = end
  }

  /** A closed JSON object needs no newline: no later text can belong to it. */
  function isComplete(): boolean {
    if (line.at(-1)?.at(-1) !== 0x7d || lineLength > MAX_LINE_BYTES) return false
    return typeof orUndefined(() => JSON.parse(Buffer.concat(line).toString())) === 'object'
  }
}
