import { join } from 'node:path'
import { entriesIn, statusOf } from '../../paths/safe-reads.ts'

/** Where git would find a repository: a `.git` of any kind, or a folder that is one itself (`isBare`). */
export interface Repository {
  readonly path: string
  readonly isBare: boolean
}

/** Folders that are not searched: too large, or no place for repositories of agents. Submodules in them are found by the index. */
const PASSED_BY = new Set(['node_modules', '.teams', '.tasks'])
const MAX_FOLDERS = 10_000
/** A folder that changed this recently (milliseconds) may change again without a new time stamp. */
const RECENT_MS = 100

/** Finds the repositories in folders, nearest to the top first. Remembers what it saw in folders that did not change. */
export function createRepositoryFinder(): (folders: readonly string[]) => Repository[] {
  const seen = new Map<string, Seen>()
  return (folders) => {
    const found: Repository[] = []
    const queue = [...folders]
    for (let i = 0; i < queue.length && i < MAX_FOLDERS; i++) {
      const folder = queue[i]!
      const { hasGit, isBare, inner } = inspect(folder, seen)
      if (hasGit) found.push({ path: join(folder, '.git'), isBare: false })
      if (isBare) found.push({ path: folder, isBare: true })
      queue.push(...inner.map((name) => join(folder, name)))
    }
    return found
  }
}

interface Seen {
  readonly stamp: string
  readonly hasGit: boolean
  readonly isBare: boolean
  readonly inner: readonly string[]
}

function inspect(folder: string, seen: Map<string, Seen>): Seen {
  const stamp = stampOf(folder)
  const before = seen.get(folder)
  if (before !== undefined && stamp !== undefined && before.stamp === stamp.text && !stamp.isRecent) return before
  const entries = entriesIn(folder)
  const names = new Set(entries.map(({ name }) => name))
  const now = {
    stamp: stamp?.isRecent === false ? stamp.text : '',
    hasGit: names.has('.git'),
    isBare: ['HEAD', 'objects', 'refs'].every((name) => names.has(name)),
    inner: entries
      .filter((entry) => entry.isDirectory() && entry.name !== '.git' && !PASSED_BY.has(entry.name))
      .map(({ name }) => name),
  }
  seen.set(folder, now)
  return now
}

function stampOf(folder: string): { text: string; isRecent: boolean } | undefined {
  const stats = statusOf(folder)
  if (stats === undefined) return undefined
  const { dev, ino, mtimeMs, ctimeMs } = stats
  return { text: `${dev} ${ino} ${mtimeMs} ${ctimeMs}`, isRecent: Math.abs(Date.now() - ctimeMs) < RECENT_MS }
}
