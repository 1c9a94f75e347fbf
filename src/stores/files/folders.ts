import { constants } from 'node:fs'
import { basename, dirname } from 'node:path'
import { codeOf, type Disk } from './disk.ts'

/**
 * Creates `folder` and its missing ancestors, for this user only. `.teams` and `.tasks` get a `.gitignore` of `*` before anything
 * else, so git never sees what is inside.
 */
export function makeFolder(disk: Disk, folder: string): void {
  if (disk.statSync(folder)) return
  const above = dirname(folder)
  if (above !== folder) makeFolder(disk, above)
  if (isOurs(above)) hideFromGit(disk, above)
  try {
    disk.mkdirSync(folder, 0o700)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
  if (isOurs(folder)) hideFromGit(disk, folder)
}

/** Makes the entries of a folder survive a power cut, without blocking the event loop. */
export async function syncFolder(disk: Disk, folder: string): Promise<void> {
  const fd = disk.openSync(folder, constants.O_RDONLY)
  try {
    await disk.fsync(fd)
  } finally {
    disk.closeSync(fd)
  }
}

/** The same for several folders, for calls that cannot wait for a promise. */
export function syncFolders(disk: Disk, folders: readonly string[]): void {
  for (const folder of folders) {
    const fd = disk.openSync(folder, constants.O_RDONLY)
    try {
      disk.fsyncSync(fd)
    } finally {
      disk.closeSync(fd)
    }
  }
}

function isOurs(folder: string): boolean {
  return ['.teams', '.tasks'].includes(basename(folder))
}

/** Safe for two processes at once, and after one that died halfway: both write the same bytes to the same place. */
function hideFromGit(disk: Disk, folder: string): void {
  const path = `${folder}/.gitignore`
  const there = disk.statSync(path)
  if (there && there.size > 0) return
  const fd = disk.openSync(path, constants.O_WRONLY | constants.O_CREAT, 0o600)
  try {
    disk.writeSync(fd, Buffer.from('*\n'))
  } finally {
    disk.closeSync(fd)
  }
}
