import { constants } from 'node:fs'
import { createIds } from '../../journal/ids.ts'
import type { Disk } from './disk.ts'

const newId = createIds()

/**
 * Replaces the file at `path` in one step: readers see the old file or the new one. Not synced: only files that can be rebuilt
 * are written this way.
 */
export function replaceFile(disk: Disk, path: string, bytes: Uint8Array, mode = 0o600): void {
  const temporary = `${path}.${newId()}.new`
  createFile(disk, temporary, bytes, mode)
  try {
    disk.renameSync(temporary, path)
  } catch (error) {
    removeQuietly(disk, temporary)
    throw error
  }
}

/** Readers may see a part of it, so it is for files that are renamed later. */
export function createFile(disk: Disk, path: string, bytes: Uint8Array, mode = 0o600): void {
  const fd = disk.openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode)
  try {
    try {
      writeAll(disk, fd, bytes)
    } finally {
      disk.closeSync(fd)
    }
  } catch (error) {
    removeQuietly(disk, path)
    throw error
  }
}

/** Not for journals: a record is written in one call or not at all. */
function writeAll(disk: Disk, fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    done += disk.writeSync(fd, done === 0 ? bytes : bytes.subarray(done))
  }
}

function removeQuietly(disk: Disk, path: string): void {
  try {
    disk.unlinkSync(path)
  } catch {
    // The first failure is reported; the next repair removes a remaining `.new` file.
  }
}
