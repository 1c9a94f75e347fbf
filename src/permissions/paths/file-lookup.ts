import { lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { linkedRepositories, type Nested, repositoriesBelow } from './nested-repositories.ts'
import { isLink } from './safe-reads.ts'
import { openSpot } from './spot.ts'

/** What the policy asks of the file system. A port, so that tests decide without a file system. */
export interface FileLookup {
  /** Where a path leads with all links resolved; undefined if that is not known. */
  locate(path: string): Location | undefined
  /** Repositories that git enters by itself from this folder; `all`: also those that its index does not contain yet. */
  nestedIn(folder: string, which: 'linked' | 'all'): Nested
}

export interface Location {
  readonly real: string
  readonly kind: 'file' | 'folder' | 'missing' | 'other'
}

/** The real file system. Like the file tools it asks an open descriptor where it is, never a name twice. */
export const fileSystem: FileLookup = {
  locate(path) {
    try {
      using spot = openSpot(path)
      const { stats, real } = spot
      return { real, kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other' }
    } catch (error) {
      // Below a file there is nothing, and nothing can be made.
      if (codeOf(error) === 'ENOTDIR') return { real: path, kind: 'missing' }
      return codeOf(error) === 'ENOENT' ? locateMissing(path) : undefined
    }
  },
  nestedIn: (folder, which) => (which === 'all' ? repositoriesBelow(folder) : linkedRepositories(folder)),
}

/** A path that does not exist yet: below the nearest folder that does. A link that leads nowhere is not such a path. */
function locateMissing(path: string): Location | undefined {
  // The folder above a missing one is not known.
  if (/\/\.\.(\/|$)/.test(path)) return undefined
  const missing: string[] = []
  for (let at = path; ; at = dirname(at)) {
    try {
      lstatSync(at)
      using spot = openSpot(at)
      return { real: join(spot.real, ...missing), kind: 'missing' }
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || at === dirname(at) || isLink(at)) return undefined
      missing.unshift(at.slice(dirname(at).length).replace(/^\//, ''))
    }
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code
}

/** Asks for each path once, for as long as one line is judged. */
export function remembered(fileLookup: FileLookup): FileLookup {
  const known = new Map<string, Location | undefined>()
  const nested = new Map<string, Nested>()
  return {
    locate(path) {
      if (!known.has(path)) known.set(path, fileLookup.locate(path))
      return known.get(path)
    },
    nestedIn(folder, which) {
      const key = `${which} ${folder}`
      const found = nested.get(key) ?? fileLookup.nestedIn(folder, which)
      nested.set(key, found)
      return found
    },
  }
}
