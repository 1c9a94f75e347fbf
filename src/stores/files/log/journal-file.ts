import { constants, type Stats } from 'node:fs'
import { dirname } from 'node:path'
import { codeOf, type Disk, ifMissing } from '../disk.ts'
import type { FolderEntries } from '../folder-entries.ts'
import { makeFolder } from '../folders.ts'

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDONLY, O_RDWR } = constants

/** The entries of a shorter journal in its folders may not be synced yet: its creator may have died. */
const YOUNG_JOURNAL_BYTES = 64 * 1024

/** One file descriptor on one log file, for the lifetime of the handle. */
export interface JournalFile {
  /** False while there is no such file. */
  open(): boolean
  create(): void
  readonly isOpen: boolean
  /** One write at the end (`O_APPEND`); may write less than given. */
  write(bytes: Buffer): number
  readAt(into: Buffer, position: number): number
  /** The size of the file, or why it is not the same file: the path must still lead to it and `seen` bytes be there. */
  look(seen: number): number | string
  /** Milliseconds since the last write of any process. */
  idleFor(): number
  sync(): Promise<void>
  close(): void
}

export function createJournalFile(disk: Disk, path: string, entries: FolderEntries): JournalFile {
  let fd = -1
  let ours: Stats | undefined
  let cannotWrite: unknown
  /** Since when its entry in the folder may be new; undefined once the entry is durable. */
  let newSince: number | undefined

  function use(flags: number): void {
    const opened = disk.openSync(path, flags | O_NOFOLLOW, 0o600)
    try {
      ours = disk.fstatSync(opened)
    } catch (error) {
      disk.closeSync(opened)
      throw error
    }
    fd = opened
    newSince = ours.size > YOUNG_JOURNAL_BYTES ? undefined : entries.now()
  }

  return {
    open() {
      if (fd >= 0) return true
      // Checked first: throwing and catching an error costs more.
      if (!disk.lstatSync(path)) return false
      return ifMissing(false, () => {
        try {
          use(O_RDWR | O_APPEND)
        } catch (error) {
          if (!['EACCES', 'EPERM', 'EROFS'].includes(codeOf(error) ?? '')) throw error
          // The journal can still be read; a write reports why it cannot be written.
          cannotWrite = error
          use(O_RDONLY)
        }
        return true
      })
    },
    create() {
      makeFolder(disk, dirname(path))
      use(O_RDWR | O_APPEND | O_CREAT)
    },
    get isOpen() {
      return fd >= 0
    },
    write(bytes) {
      if (cannotWrite) throw cannotWrite
      return disk.writeSync(fd, bytes)
    },
    readAt: (into, position) => disk.readSync(fd, into, 0, into.length, position),
    look(seen) {
      const named = disk.statSync(path)
      if (!named) return 'it was moved or deleted'
      if (named.ino !== ours?.ino || named.dev !== ours.dev) return 'another file has taken its place'
      return named.size < seen ? `it shrank from ${seen} to ${named.size} bytes` : named.size
    },
    idleFor: () => Date.now() - disk.fstatSync(fd).mtimeMs,
    async sync() {
      await disk.fdatasync(fd)
      if (newSince !== undefined) await entries.sync(dirname(path), newSince)
      newSince = undefined
    },
    close() {
      if (fd >= 0) disk.closeSync(fd)
      fd = -1
    },
  }
}
