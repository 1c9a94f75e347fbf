import { constants, type Stats } from 'node:fs'
import { dirname } from 'node:path'
import { codeOf, type Disk } from '../disk.ts'
import type { FolderEntries } from '../folder-entries.ts'
import { makeFolder } from '../folders.ts'

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDONLY, O_RDWR } = constants

/** A journal younger than this may have entries in its folders that nobody synced yet: its maker may have died. */
const YOUNG = 64 * 1024

/** One descriptor on one log file, kept for the handle's life. */
export interface JournalFile {
  /** False while there is no such file. */
  open(): boolean
  create(): void
  readonly isOpen: boolean
  /** One write at the end, whoever else writes; may write less than given. */
  write(bytes: Buffer): number
  readAt(into: Buffer, position: number): number
  /** The file's size, or why it is not the file it was: the path must still lead to it and `seen` bytes be there. */
  look(seen: number): number | string
  /** Milliseconds since anybody wrote. */
  idleFor(): number
  sync(): Promise<void>
  close(): void
}

export function createJournalFile(disk: Disk, path: string, entries: FolderEntries): JournalFile {
  let fd = -1
  let ours: Stats | undefined
  let cannotWrite: unknown
  /** Since when its entry in its folder may be new; undefined once that survives. */
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
    newSince = ours.size > YOUNG ? undefined : entries.now()
  }

  return {
    open() {
      if (fd >= 0) return true
      // Asked first: an error that says so would cost more than the file.
      if (!disk.lstatSync(path)) return false
      try {
        try {
          use(O_RDWR | O_APPEND)
        } catch (error) {
          if (!['EACCES', 'EPERM', 'EROFS'].includes(codeOf(error) ?? '')) throw error
          // Somebody else's journal can still be read; whoever wants to write hears why not.
          cannotWrite = error
          use(O_RDONLY)
        }
        return true
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return false
        throw error
      }
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
      if (newSince !== undefined) entries.sync(dirname(path), newSince)
      newSince = undefined
    },
    close() {
      if (fd >= 0) disk.closeSync(fd)
      fd = -1
    },
  }
}
