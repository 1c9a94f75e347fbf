import { constants } from 'node:fs'
import { dirname, join } from 'node:path'
import { ulid } from 'ulid'
import type { LogRecord } from '../../../journal/log/store.ts'
import { TeamError } from '../../../team/errors.ts'
import { type Disk, removeIfExists } from '../disk.ts'
import { syncFolders } from '../folders.ts'
import { encode } from './line.ts'

/**
 * Replaces a broken journal by a new one and keeps the old one as `journal.<ulid>.damaged`. `records` is the whole new
 * journal, made from the first `size` bytes of the old one. There is a journal at every moment: a process that dies here
 * leaves the old one or the new one. Returns the name of the old one.
 */
export function replaceJournal(
  disk: Disk,
  folder: string,
  size: number,
  records: (damaged: string) => readonly LogRecord[],
): string {
  const path = join(folder, 'journal.jsonl')
  const damaged = `journal.${ulid()}.damaged`
  const fresh = `${path}.${ulid()}.new`
  writeSynced(disk, fresh, records(damaged))
  // It says how long the old journal was: a process that opens the team now would think that the new one lost its end.
  const removeConfig = () => removeIfExists(disk, join(folder, 'config.json'))
  swap(disk, { path, fresh, archive: join(folder, damaged), size }, removeConfig)
  // A write at the last moment was not acknowledged: its process finds that the path leads to another file.
  return damaged
}

/**
 * Cuts a transcript to its first `size` bytes and keeps the whole old file as `damaged`, a name made by `archiveName`.
 * `whole` is its size when it was examined.
 */
export function cutTranscript(disk: Disk, path: string, size: number, whole: number, damaged: string): void {
  const fresh = `${path}.${ulid()}.new`
  const kept = disk.readFileSync(path).subarray(0, size)
  writeBytes(disk, fresh, [kept])
  swap(disk, { path, fresh, archive: join(dirname(path), damaged), size: whole })
}

/** Puts `fresh` in the place of the file, which stays as `archive`; nothing changes if the file is no longer `size` bytes long. */
function swap(
  disk: Disk,
  { path, fresh, archive, size }: { path: string; fresh: string; archive: string; size: number },
  beforeRename = () => {},
): void {
  try {
    disk.linkSync(path, archive)
    if (disk.statSync(path)?.size !== size) throw new JournalMoved(path)
    beforeRename()
    disk.renameSync(fresh, path)
  } catch (error) {
    removeIfExists(disk, fresh)
    removeIfExists(disk, archive)
    throw error
  }
  syncFolders(disk, [dirname(path)])
}

/** The name of the file that keeps a damaged transcript. */
export function archiveName(member: string): string {
  return `${member}.${ulid()}.damaged`
}

/** Another process wrote while the new journal was made; replacing it would lose that. */
export class JournalMoved extends TeamError {
  readonly code = 'journal_moved'
  constructor(path: string) {
    super(`${path} was written to while it was repaired, so nothing was changed. Run the repair again.`)
  }
}

/** A state is split into as many records as it needs, but one part of it is longer than a record may be. */
class TooLargeToRestore extends TeamError {
  readonly code = 'too_large_to_restore'
  constructor(path: string, id: string) {
    super(`${path} cannot be written: record ${id} of the restored state is longer than 16 MB.`)
  }
}

/** The snapshot belongs to the replaced journal; the next reader writes a new one. */
export function removeSnapshot(disk: Disk, folder: string): void {
  removeIfExists(disk, join(folder, 'snapshot.json'))
}

function writeSynced(disk: Disk, path: string, records: readonly LogRecord[]): void {
  const lines = records.map((record) => {
    const frame = encode(record)
    if (!frame) throw new TooLargeToRestore(path, record.id)
    return frame.bytes
  })
  writeBytes(disk, path, lines)
}

function writeBytes(disk: Disk, path: string, pieces: readonly Buffer[]): void {
  const fd = disk.openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600)
  try {
    for (const bytes of pieces) {
      for (let done = 0; done < bytes.length; ) done += disk.writeSync(fd, bytes.subarray(done))
    }
    disk.fsyncSync(fd)
  } catch (error) {
    removeIfExists(disk, path)
    throw error
  } finally {
    disk.closeSync(fd)
  }
}
