import { dirname } from 'node:path'
import type { Disk } from './disk.ts'
import { syncFolder } from './folders.ts'

/**
 * A file survives a power cut only if its folder was synced after the file was created, and so on upwards. A folder that was
 * synced once is not synced again for its next file.
 */
export interface FolderEntries {
  /** A logical time: everything in a folder now was put there before it. */
  now(): number
  /** Makes the entries that this folder had at that time durable, and the folder itself. */
  sync(folder: string, since: number): Promise<void>
}

export function createFolderEntries(disk: Disk, root: string): FolderEntries {
  const syncedAt = new Map<string, number>()
  /** Syncs that have begun and not ended. */
  const running = new Map<string, { readonly at: number; readonly ended: Promise<void> }>()
  /** The folders whose own entries are durable, up to the root. A folder that was created again is another one. */
  const kept = new Map<string, string>()
  let moments = 0

  /** Several files that are new in a folder share a sync that begins after all of them were created. */
  function sync(folder: string, since: number): Promise<void> {
    if ((syncedAt.get(folder) ?? 0) >= since) return Promise.resolve()
    const shared = running.get(folder)
    if (shared && shared.at >= since) return shared.ended
    const at = ++moments
    const ended = syncFolder(disk, folder)
      .then(() => void syncedAt.set(folder, Math.max(at, syncedAt.get(folder) ?? 0)))
      .finally(() => {
        if (running.get(folder)?.at === at) running.delete(folder)
      })
    running.set(folder, { at, ended })
    return ended
  }

  return {
    now: () => ++moments,
    async sync(folder, since) {
      await sync(folder, since)
      const found = new Map<string, string>()
      for (let at = folder; at !== root; at = dirname(at)) {
        const which = identityOf(disk, at)
        if (kept.get(at) === which) break
        await sync(dirname(at), since)
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
