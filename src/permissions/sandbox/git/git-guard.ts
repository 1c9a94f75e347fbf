import { type FSWatcher, readlinkSync, renameSync, rmSync, symlinkSync, watch, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { isThere, orUndefined, readPlainFile } from '../../paths/safe-reads.ts'
import type { ProtectedGit } from './git-folders.ts'

/** Undoes at once what no mount can prevent, because the folder around it has to be written to. */
export interface GitGuard {
  /** Aborted when something had to be undone: the command that did it is not to do it again. */
  readonly violated: AbortSignal
  /** Checks a last time. Returns a sentence for each path that was restored or renamed. */
  end(root: string): string[]
}

export function guardGit({ heads, absent, links }: Pick<ProtectedGit, 'heads' | 'absent' | 'links'>): GitGuard {
  const violation = new AbortController()
  const undone = new Map<string, string>()
  const headsBefore = new Map(heads.map((git) => [join(git, 'HEAD'), contentOf(join(git, 'HEAD'))]))
  const linksBefore = new Map(links.map((path) => [path, targetOf(path)]))

  function check(): void {
    for (const path of absent)
      if (isThere(path))
        attempt(path, () => `was made and is now ${renameRefused(path)}: git would take orders from it`)
    for (const [path, before] of headsBefore) {
      if (isHead(path)) headsBefore.set(path, contentOf(path))
      else if (before !== undefined && isThere(dirname(path)))
        attempt(path, () => {
          rmSync(path, { recursive: true, force: true })
          // Not through a link that was put there meanwhile.
          writeFileSync(path, before, { flag: 'wx' })
          return 'was restored: without it git takes orders from the files around it'
        })
    }
    for (const [path, target] of linksBefore)
      if (target !== undefined && targetOf(path) !== target)
        attempt(path, () => {
          const kept = isThere(path) ? `; what replaced it is now ${renameRefused(path)}` : ''
          symlinkSync(target, path)
          return `was restored: git takes orders from it${kept}`
        })
  }

  /** Reports a failure too; the command is ended in either case, and the last check tries again. */
  function attempt(path: string, undo: () => string): void {
    try {
      undone.set(path, undo())
    } catch (error) {
      undone.set(
        path,
        `was changed and could not be restored (${(error as Error).message}): check it before you use git`,
      )
    }
    violation.abort()
  }

  const watchers = [...new Set([...absent, ...headsBefore.keys(), ...linksBefore.keys()].map((path) => dirname(path)))]
    .slice(0, MAX_WATCHED)
    .flatMap((folder) => watcherOf(folder, check))
  return {
    violated: violation.signal,
    end(root) {
      for (const watcher of watchers) watcher.close()
      check()
      return [...undone].map(([path, words]) => `[sandbox: ${relative(root, path) || path} ${words}]`)
    },
  }
}

/** Changes in further folders are found by the last check only. */
const MAX_WATCHED = 8

function watcherOf(folder: string, check: () => void): FSWatcher[] {
  try {
    return [watch(folder, { persistent: false }, check).on('error', () => {})]
  } catch {
    // No more watches for this user: the last check remains.
    return []
  }
}

/** Gives a path a name that git does not know, so that nothing is lost. Returns the new name. */
export function renameRefused(path: string): string {
  for (let i = 1; ; i++) {
    const renamed = `${path}.refused${i === 1 ? '' : `-${i}`}`
    if (isThere(renamed)) continue
    renameSync(path, renamed)
    return basename(renamed)
  }
}

/** What git accepts as the HEAD of a repository. */
function isHead(path: string): boolean {
  const target = targetOf(path)
  if (target !== undefined) return target.startsWith('refs/')
  return /^(ref:\s*refs\/\S|[0-9a-f]{40})/.test(contentOf(path) ?? '')
}

function contentOf(path: string): string | undefined {
  return readPlainFile(path, 10_000)?.toString()
}

function targetOf(path: string): string | undefined {
  return orUndefined(() => readlinkSync(path))
}
