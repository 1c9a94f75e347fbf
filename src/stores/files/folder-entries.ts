import { dirname } from 'node:path'
import type { Disk } from './disk.ts'
import { syncFolders } from './folders.ts'

/**
 * A file survives a power cut only if its folder was synced after the file was created, and so on upwards. A folder that was
 * synced once is not synced again for its next file.
 */
export interface FolderEntries {
  /** A logical time: everything in a folder now was put there before it. */
  now(): number
  /** Makes the entries that this folder had at that time durable, and the folder itself. */
  sync(folder: string, since: number): void
}

export function createFolderEntries(disk: Disk, root: string): FolderEntries {
  const syncedAt = new Map<string, number>()
  /** The folders whose own entries are durable, up to the root. A folder that was created again is another one. */
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
        const which = identityOf(disk, at)
        if (kept.get(at) === which) break
        sync(dirname(at))
        found.set(at, which)
      }
      for (const [at, which] of found) kept.set(at, which)
    },
  }
}

/** An inode number may be reused at once, but not with the same birth time. */
function identityOf(disk: Disk, folder: string): string {
  const { ino, birthtimeMs } = disk.statSync(folder) ?? {}
  return `${ino} ${birthtimeMs}`
}
