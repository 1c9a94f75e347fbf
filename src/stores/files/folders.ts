import { constants } from 'node:fs'
import { basename, dirname } from 'node:path'
import { codeOf, type Disk } from './disk.ts'

/**
 * Makes `folder` and what is missing above it, for this user only. `.teams` and `.tasks` get a `.gitignore` of `*`
 * before anything else is put into them, so git never sees what is inside.
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

/** Makes the entries of these folders survive a power cut. */
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

/** Two processes may do this at once and one may have died half way: same bytes, same place, whoever comes. */
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
