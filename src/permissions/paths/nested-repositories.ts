import { lstatSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readIndex } from './git-index.ts'
import { isInside } from './places.ts'
import { entriesIn, orUndefined, realPath } from './safe-reads.ts'

/** Paths of repositories inside of the one around a folder; `unknown` where they cannot be told. */
export type Nested = readonly string[] | 'unknown'

const MAX_INDEX_BYTES = 64 << 20
const MAX_FOLDERS = 10_000

/**
 * The repositories that git enters by itself, for `status`, `add`, `stash` and others: those that the index holds as
 * submodules. Git follows the configuration there, which may name filters and other programs. Left out are those that
 * `git submodule` made: their configuration lies in the folder of the outer repository, and git wrote it.
 */
export function linkedRepositories(folder: string): Nested {
  const outer = repositoryAround(folder)
  if (!outer) return []
  const bytes = readIfThere(join(outer.gitFolder, 'index'))
  if (bytes === 'unknown') return 'unknown'
  if (bytes === undefined) return []
  const index = readIndex(bytes) ?? readIndex(bytes, 32)
  if (!index?.isWhole) return 'unknown'
  return index.links.map((link) => join(outer.top, link)).filter((path) => isForeign(path, outer))
}

/** All repositories below, also those that the index does not hold yet; not in `node_modules`. */
export function repositoriesBelow(folder: string): Nested {
  const outer = repositoryAround(folder)
  if (!outer) return []
  const found: string[] = []
  const folders = [outer.top]
  for (let i = 0; i < folders.length; i++) {
    if (i >= MAX_FOLDERS) return 'unknown'
    for (const entry of entriesIn(folders[i]!)) {
      if (entry.name.toLowerCase() === '.git') {
        if (i > 0 && isForeign(folders[i]!, outer)) found.push(folders[i]!)
      } else if (entry.isDirectory() && entry.name !== 'node_modules') folders.push(join(folders[i]!, entry.name))
    }
  }
  return found
}

interface Outer {
  readonly top: string
  readonly gitFolder: string
  /** Where git keeps the repositories of submodules. */
  readonly modules: readonly string[]
}

function repositoryAround(folder: string): Outer | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const gitFolder = gitFolderOf(at)
    if (gitFolder !== undefined) {
      const common = textOf(join(gitFolder, 'commondir'))?.trim()
      const places = [gitFolder, ...(common ? [resolve(gitFolder, common)] : [])]
      return { top: at, gitFolder, modules: places.flatMap((place) => realPath(join(place, 'modules')) ?? []) }
    }
    if (at === dirname(at)) return undefined
  }
}

function isForeign(path: string, { modules }: Outer): boolean {
  if (!lstatSync(join(path, '.git'), { throwIfNoEntry: false })) return false
  const gitFolder = gitFolderOf(path)
  return gitFolder === undefined || !modules.some((place) => gitFolder !== place && isInside(place, gitFolder))
}

/** The real folder behind `.git`, which may be a file that names it. */
function gitFolderOf(folder: string): string | undefined {
  const path = join(folder, '.git')
  const named = /^gitdir: (.+)$/m.exec(textOf(path) ?? '')?.[1]
  return realPath(named === undefined ? path : resolve(folder, named.trim()))
}

const MAX_TEXT_BYTES = 64 * 1024

function textOf(path: string): string | undefined {
  return orUndefined(() => {
    const stats = statSync(path)
    return stats.isFile() && stats.size <= MAX_TEXT_BYTES ? readFileSync(path, 'utf8') : undefined
  })
}

function readIfThere(path: string): Buffer | undefined | 'unknown' {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (!stats) return undefined
    return stats.isFile() && stats.size <= MAX_INDEX_BYTES ? readFileSync(path) : 'unknown'
  } catch {
    return 'unknown'
  }
}
