import { constants } from 'node:fs'
import { dirname, join } from 'node:path'
import { ulid } from 'ulid'
import type { LogRecord } from '../../../journal/store.ts'
import { TeamError } from '../../../team/errors.ts'
import { codeOf, type Disk } from '../disk.ts'
import { syncFolders } from '../folders.ts'
import { encode } from './line.ts'

/**
 * Puts a new journal in the place of a broken one, which keeps its bytes under the name `journal.<ulid>.damaged`.
 * `records` is the whole new journal, made from the first `size` bytes of the old one. There is a journal at every
 * moment: whoever dies here leaves the old one or the new one. Returns the name of the old one.
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
  try {
    disk.linkSync(path, join(folder, damaged))
    if (disk.statSync(path)?.size !== size) throw new JournalMoved(path)
    // It says how long the old one was: whoever came now would think that the new one lost its end.
    remove(disk, join(folder, 'config.json'))
    disk.renameSync(fresh, path)
  } catch (error) {
    remove(disk, fresh)
    remove(disk, join(folder, damaged))
    throw error
  }
  syncFolders(disk, [dirname(path)])
  // Whoever wrote in the last instant was not told that it counts: the path leads elsewhere by then.
  return damaged
}

/**
 * Puts the first `size` bytes of a transcript in its place, which keeps all its bytes under the name
 * `<name>.<ulid>.damaged`. `whole` is how long it was when it was examined. Returns the name of the old one.
 */
export function cutTranscript(disk: Disk, path: string, size: number, whole: number, damaged: string): void {
  const fresh = `${path}.${ulid()}.new`
  const kept = disk.readFileSync(path).subarray(0, size)
  writeBytes(disk, fresh, [kept])
  const archive = join(dirname(path), damaged)
  try {
    disk.linkSync(path, archive)
    if (disk.statSync(path)?.size !== whole) throw new JournalMoved(path)
    disk.renameSync(fresh, path)
  } catch (error) {
    remove(disk, fresh)
    remove(disk, archive)
    throw error
  }
  syncFolders(disk, [dirname(path)])
}

/** What the file that keeps the lines of a damaged transcript is called. */
export function archiveName(member: string): string {
  return `${member}.${ulid()}.damaged`
}

/** Somebody wrote while the new journal was made, so it would lack that. */
export class JournalMoved extends TeamError {
  readonly code = 'journal_moved'
  constructor(path: string) {
    super(`${path} was written to while it was repaired, so nothing was changed. Run the repair again.`)
  }
}

/** A state goes into as many records as it needs; one thing in it that is longer than a record has no place. */
class TooLargeToRestore extends TeamError {
  readonly code = 'too_large_to_restore'
  constructor(path: string, id: string) {
    super(`${path} cannot be written: record ${id} of the restored state is longer than 16 MB.`)
  }
}

/** The snapshot speaks of a journal that is no longer there; the next reader makes a new one. */
export function removeSnapshot(disk: Disk, folder: string): void {
  remove(disk, join(folder, 'snapshot.json'))
}

function writeSynced(disk: Disk, path: string, records: readonly LogRecord[]): void {
  writeBytes(
    disk,
    path,
    records.map((record) => (encode(record) ?? fail(path, record.id)).bytes),
  )
}

function writeBytes(disk: Disk, path: string, pieces: readonly Buffer[]): void {
  const fd = disk.openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600)
  try {
    for (const bytes of pieces) {
      for (let done = 0; done < bytes.length; ) done += disk.writeSync(fd, bytes.subarray(done))
    }
    disk.fsyncSync(fd)
  } catch (error) {
    remove(disk, path)
    throw error
  } finally {
    disk.closeSync(fd)
  }
}

function fail(path: string, id: string): never {
  throw new TooLargeToRestore(path, id)
}

function remove(disk: Disk, path: string): void {
  try {
    disk.unlinkSync(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}
