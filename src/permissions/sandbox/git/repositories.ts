import { join, relative } from 'node:path'
import { gitlinksIn } from '../../paths/git-index.ts'
import { readPlainFile } from '../../paths/safe-reads.ts'
import { whyUnsafe } from './check-repository.ts'
import { createRepositoryFinder, type Repository } from './find-repositories.ts'
import { renameRefused } from './git-guard.ts'

/** The repositories in the folders of agents: those that are there are protected, those that commands make are judged. */
export interface Repositories {
  now(): Repository[]
  /**
   * Renames what makes a repository out of a folder where git would run a program of a command's choice. Checks those
   * that the command could change: all that it had not found there. Returns a sentence for each renamed path.
   */
  refuseUnsafe(before: readonly Repository[], reach: CommandReach): string[]
}

/** The folders a command could write to, and what it could not change in them. */
export interface CommandReach {
  readonly root: string
  readonly writable: readonly string[]
  readonly readOnly: readonly string[]
}

export function watchRepositories(folders: readonly string[]): Repositories {
  const find = createRepositoryFinder()
  const now = () => {
    const found = find(folders)
    const known = new Set(found.map(({ path }) => path))
    const linked = found.flatMap(submodulesOf).filter(({ path }) => !known.has(path))
    return [...found, ...linked]
  }
  return {
    now,
    refuseUnsafe(before, reach) {
      const old = new Set(before.map(({ path }) => path))
      return now()
        .filter(({ path }) => !old.has(path))
        .flatMap((repository) => refuse(repository, reach))
    },
  }
}

function refuse(repository: Repository, { root, writable, readOnly }: CommandReach): string[] {
  const why = whyUnsafe(repository, writable, readOnly)
  if (why === undefined) return []
  const path = repository.isBare ? join(repository.path, 'HEAD') : repository.path
  const shown = relative(root, path) || path
  try {
    return [`[sandbox: ${shown} is now ${renameRefused(path)}: git would run programs there, because ${why}]`]
  } catch (error) {
    return [`[sandbox: check ${shown} before you use git: ${why} (${(error as Error).message})]`]
  }
}

const MAX_INDEX_BYTES = 256 << 20

/** git enters the submodules of its index, wherever they are. */
function submodulesOf({ path, isBare }: Repository): Repository[] {
  const index = isBare ? undefined : readPlainFile(join(path, 'index'), MAX_INDEX_BYTES)
  const links = index && (gitlinksIn(index) ?? gitlinksIn(index, 32))
  return (links ?? []).map((link) => ({ path: join(path, '..', link, '.git'), isBare: false }))
}
