import { dirname } from 'node:path'
import type { Disk } from './disk.ts'
import { syncFolders } from './folders.ts'

/**
 * A file is found again after a power cut only if its folder was synced since it was made, and so on upwards. What was
 * seen to once is not done again for the next file of the same folder.
 */
export interface FolderEntries {
  /** A moment: what is in a folder now was put there before it. */
  now(): number
  /** Makes what was in this folder at that moment survive, and the folder itself. */
  sync(folder: string, since: number): void
}

export function createFolderEntries(disk: Disk, root: string): FolderEntries {
  const syncedAt = new Map<string, number>()
  /** The folders whose own entries are durable, all the way up. A folder that was made again is another one. */
  const kept = new Map<string, string>()
  let moments = 0

  function sync(folder: string): void {
    const at = ++moments
    syncFolders(disk, [folder])
    syncedAt.set(folder, at)
  }

  return {
    now: () => ++moments,
    sync(folder, since) {
      if ((syncedAt.get(folder) ?? 0) < since) sync(folder)
      const found = new Map<string, string>()
      for (let at = folder; at !== root; at = dirname(at)) {
        const which = whichIs(disk, at)
        if (kept.get(at) === which) break
        sync(dirname(at))
        found.set(at, which)
      }
      for (const [at, which] of found) kept.set(at, which)
    },
  }
}

/** A number may be given again at once, but not at the same time. */
function whichIs(disk: Disk, folder: string): string {
  const { ino, birthtimeMs } = disk.statSync(folder) ?? {}
  return `${ino} ${birthtimeMs}`
}
