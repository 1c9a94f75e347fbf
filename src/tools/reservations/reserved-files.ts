import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { firstOverlap } from '../../team/reservation.ts'
import { STATE_FOLDERS } from '../paths/file-access.ts'

/** A stamp of each file that patterns reserve, by its path relative to the root. */
export type ReservedFiles = ReadonlyMap<string, string>

/** So many files and folders are looked at; what a reservation holds beyond them is not watched. */
const MAX_ENTRIES = 10_000

/** Package managers write these, and no task is about them one by one. */
const SKIPPED_FOLDERS: ReadonlySet<string> = new Set([...STATE_FOLDERS, 'node_modules'])

/** Looks at the files below `root` that one of these normalised patterns reserves. Links are not followed. */
export function stampReservedFiles(root: string, patterns: readonly string[]): Map<string, string> {
  const found = new Map<string, string>()
  if (patterns.length === 0) return found
  const folders = ['']
  let entries = 0
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    for (const entry of list(join(root, folder))) {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (!firstOverlap([name.normalize('NFC')], patterns)) continue
      if (++entries > MAX_ENTRIES) return found
      if (!entry.isDirectory()) found.set(name, stampOf(root, name) ?? '')
      else if (!SKIPPED_FOLDERS.has(entry.name)) folders.push(name)
    }
  }
  return found
}

/** The files that were made, written, replaced or removed between two looks. */
export function changedBetween(before: ReservedFiles, after: ReservedFiles): string[] {
  const names = new Set([...before.keys(), ...after.keys()])
  return [...names].filter((name) => before.get(name) !== after.get(name)).sort()
}

/** Undefined if there is no such file. The time of the last change of the inode cannot be set back by a command. */
export function stampOf(root: string, name: string): string | undefined {
  const stats = lstatSync(join(root, name), { bigint: true, throwIfNoEntry: false })
  return stats && [stats.dev, stats.ino, stats.mode, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ')
}

function list(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // Gone meanwhile, or not readable for this user.
    return []
  }
}
