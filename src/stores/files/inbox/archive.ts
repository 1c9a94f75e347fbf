import { constants } from 'node:fs'
import { codeOf, type Disk } from '../disk.ts'
import { createWeave, type Found } from './partial-lines.ts'

/** One mailbox file that was put aside, read piece by piece. Late writers may still append to it. */
export interface Archive {
  /** What it is called in the journal. */
  readonly id: string
  readonly mailbox: string
  readonly path: string
  /** Put aside at, in milliseconds since 1970. */
  readonly bornAt: number
  /** Read and not yet known to be dealt with, in order of their ends. */
  pending: Found[]
  /** How far it was read. */
  size(): number
  /** Read to its end at a time when nobody was expected to write any more. */
  isFinished(): boolean
  /** Beginnings of lines whose rest has not come. */
  open(): readonly Found[]
  /**
   * Reads on until enough is pending. `isFinal`: whoever wanted to write has had its time, so text at the end without
   * a newline is a line too. Returns whether all was read; undefined when the file is gone or not a file.
   */
  readOn(isFinal: boolean): boolean | undefined
}

/** What one harvest may hold: read, kept in memory and written into the journal at once. */
export const HARVEST_LINES = 1000
export const HARVEST_BYTES = 4 * 1024 * 1024

const CHUNK = 256 * 1024
/** As long as our own lines get: 1 MB of content in which every character is escaped. */
const MAX_LINE = 16 * 1024 * 1024
const KEPT_OF_LONG_LINE = 8 * 1024

export function openArchive(
  disk: Disk,
  { id, mailbox, path, bornAt }: Pick<Archive, 'id' | 'mailbox' | 'path' | 'bornAt'>,
): Archive {
  // From the beginning in every process, whatever was brought in already: a line may have begun before that.
  const weave = createWeave()
  let position = 0
  let lineStart = 0
  let line: Buffer[] = []
  let lineLength = 0
  let pendingBytes = 0
  let finished = false

  const archive: Archive = {
    ...{ id, mailbox, path, bornAt, pending: [], readOn },
    size: () => position,
    isFinished: () => finished,
    open: () => weave.open(),
  }
  return archive

  function readOn(isFinal: boolean): boolean | undefined {
    let fd: number
    try {
      // A link could lead anywhere; what was put aside is a plain file or nothing.
      fd = disk.openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    } catch (error) {
      if (['ENOENT', 'ELOOP'].includes(codeOf(error) ?? '')) return undefined
      throw error
    }
    try {
      if (!disk.fstatSync(fd).isFile()) return undefined
      pendingBytes = archive.pending.reduce((sum, { bytes }) => sum + bytes.length, 0)
      const chunk = Buffer.allocUnsafe(CHUNK)
      while (archive.pending.length < HARVEST_LINES && pendingBytes < HARVEST_BYTES) {
        const length = disk.readSync(fd, chunk, 0, CHUNK, position)
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
    if (lineLength + bytes.length > MAX_LINE && line.length > 0)
      line = [Buffer.concat(line).subarray(0, KEPT_OF_LONG_LINE)]
    if (lineLength <= MAX_LINE) line.push(Buffer.from(bytes))
    lineLength += bytes.length
  }

  function endLine(end: number): void {
    const bytes = line.length === 1 && line[0] ? line[0] : Buffer.concat(line)
    const found =
      lineLength > MAX_LINE
        ? [{ offset: lineStart, end, bytes: bytes.subarray(0, KEPT_OF_LONG_LINE), value: undefined }]
        : weave.line(bytes, lineStart, end)
    archive.pending.push(...found)
    pendingBytes += bytes.length
    line = []
    lineLength = 0
    lineStart = end
  }

  /** An object that is closed needs no newline: nothing behind it could belong to it. */
  function isComplete(): boolean {
    if (line.at(-1)?.at(-1) !== 0x7d || lineLength > MAX_LINE) return false
    try {
      return typeof JSON.parse(Buffer.concat(line).toString()) === 'object'
    } catch {
      return false
    }
  }
}
