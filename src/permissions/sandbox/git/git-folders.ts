import { existsSync, lstatSync, realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isInside, isInsideAny } from '../../paths/places.ts'
import { isLink, readPlainFile, realPath } from '../../paths/safe-reads.ts'
import { gitFolderNamedBy } from './check-repository.ts'
import type { Repository } from './find-repositories.ts'
import { orderPaths, unsafeWords } from './git-config.ts'
import type { Placeholder } from './placeholders.ts'

/**
 * What a command may do to repositories: commit, not decide what git runs. git takes its orders from `config`,
 * `config.worktree`, `hooks`, `info`, the repositories below `modules` and `worktrees`, and from the `config` that
 * `commondir` leads to. Those cannot be changed, and where they are missing cannot be made.
 */
export interface ProtectedGit {
  /** Folders outside of the workspace that have to be written to: the repository of a worktree. */
  readonly shared: readonly string[]
  readonly readOnly: readonly string[]
  readonly pinned: readonly string[]
  /** Names that must not come into being, and for which git on this machine knows no harmless content. */
  readonly absent: readonly string[]
  /** Empty files and folders, harmless to git, that have to be there so that a command cannot make its own. */
  readonly placeholders: readonly Placeholder[]
  /** Folders whose HEAD has to stay one: without it git would use another repository around it. */
  readonly heads: readonly string[]
  /** Links of which git takes orders; nothing can be mounted on them. */
  readonly links: readonly string[]
}

/** So many are protected part by part; of any further one nothing can be changed. */
const MAX_DETAILED = 20

/** `repositories` in the order in which they matter, nearest to the top first. */
export function protectedGit(repositories: readonly Repository[], folders: readonly string[]): ProtectedGit {
  return joinedGit(
    repositories.map((repository, i) =>
      i < MAX_DETAILED ? protect(repository, folders) : { ...NOTHING, readOnly: [repository.path] },
    ),
  )
}

export function joinedGit(parts: readonly ProtectedGit[]): ProtectedGit {
  const all = <Name extends keyof ProtectedGit>(name: Name) => [
    ...new Set(parts.flatMap((part) => part[name] as readonly string[])),
  ]
  return {
    shared: all('shared'),
    readOnly: all('readOnly'),
    pinned: all('pinned'),
    absent: all('absent'),
    placeholders: parts.flatMap((part) => part.placeholders),
    heads: all('heads'),
    links: all('links'),
  }
}

const NOTHING: ProtectedGit = {
  shared: [],
  readOnly: [],
  pinned: [],
  absent: [],
  placeholders: [],
  heads: [],
  links: [],
}

function protect({ path, isBare }: Repository, folders: readonly string[]): ProtectedGit {
  if (!existsSync(path)) return NOTHING
  const stats = lstatSync(path)
  if (stats.isDirectory()) return protectFolder(path, folders, { isPinned: !isBare })
  if (stats.isSymbolicLink()) {
    const target = realpathSync(path)
    const inside = isInsideAny(folders, target) ? protectFolder(target, folders, { isPinned: true }) : NOTHING
    return { ...inside, links: [...inside.links, path] }
  }
  return protectWorktree(path, folders)
}

const FOLDERS = ['hooks', 'info', 'modules', 'worktrees']
const FILES = ['config', 'config.worktree']

export function protectFolder(
  git: string,
  folders: readonly string[],
  { isPinned }: { isPinned: boolean },
): ProtectedGit {
  const at = (name: string) => join(git, name)
  const parts = [...FOLDERS, ...FILES].map(at)
  const links = parts.filter(isLink)
  const orders = [...parts.filter((path) => !isLink(path)), ...links.flatMap((path) => realInside(path, folders))]
  const named = FILES.map((name) => namedIn(at(name), git, folders))
  return {
    shared: [],
    readOnly: [
      ...orders,
      ...['commondir', 'gitdir'].map(at).filter((path) => existsSync(path)),
      ...named.flatMap(({ there }) => there),
    ],
    pinned: [...(isPinned ? [git] : []), ...['objects', 'refs'].map(at).filter(isOwnFolder)],
    absent: [...[at('commondir')].filter((path) => !existsSync(path)), ...named.flatMap(({ missing }) => missing)],
    placeholders: [
      ...FOLDERS.map((name) => ({ path: at(name), isFolder: true })),
      ...FILES.map((name) => ({ path: at(name), isFolder: false })),
    ].filter(({ path }) => !isLink(path)),
    heads: [git],
    links,
  }
}

/**
 * In a worktree `.git` is a file that names a folder of the main repository, and that one its own. Believed only where
 * both agree: who could write the file could otherwise open any folder.
 */
export function protectWorktree(file: string, folders: readonly string[]): ProtectedGit {
  const worktree = worktreeOf(file)
  if (worktree === undefined) return { ...NOTHING, readOnly: [file] }
  const { own, shared } = worktree
  const main = protectFolder(shared, folders, { isPinned: true })
  return {
    ...main,
    shared: isInsideAny(folders, shared) ? [] : [shared],
    readOnly: [...main.readOnly, file, ...['commondir', 'gitdir', 'config.worktree'].map((name) => join(own, name))],
    pinned: [...main.pinned, own],
    placeholders: [...main.placeholders, { path: join(own, 'config.worktree'), isFolder: false }],
    heads: [...main.heads, own],
  }
}

export function worktreeOf(file: string): { own: string; shared: string } | undefined {
  try {
    const own = realpathSync(gitFolderNamedBy(file) ?? '')
    const back = textOf(join(own, 'gitdir')).trim()
    const shared = realpathSync(resolve(own, textOf(join(own, 'commondir')).trim()))
    const agrees = realpathSync(back) === realpathSync(file) && dirname(own) === join(shared, 'worktrees')
    return agrees && existsSync(join(shared, 'HEAD')) ? { own, shared } : undefined
  } catch {
    // Not a worktree: the repository can be looked at and not be changed.
    return undefined
  }
}

/** Files of agents that a configuration names: included configuration, folders of hooks, programs of filters. */
function namedIn(config: string, git: string, folders: readonly string[]): { there: string[]; missing: string[] } {
  const text = readPlainFile(config)?.toString() ?? ''
  // Relative to the configuration, or to the top of the work tree.
  const bases = [git, dirname(git)]
  const places = unsafeWords(text).flatMap((word) => bases.map((base) => resolve(base, word)))
  const there = places.flatMap((path) => realInside(path, folders))
  const ordering = orderPaths(text).flatMap((word) => bases.map((base) => resolve(base, word)))
  return {
    there: [...new Set(there)].filter((path) => !isInside(path, dirname(git)) && !isInside(git, path)),
    missing: [...new Set(ordering)].filter(
      (path) => !existsSync(path) && isInsideAny(folders, path) && !isInside(git, path),
    ),
  }
}

/** The real path, if it is in a folder of agents. */
function realInside(path: string, folders: readonly string[]): string[] {
  const real = realPath(path)
  return real !== undefined && isInsideAny(folders, real) ? [real] : []
}

function textOf(path: string): string {
  return readPlainFile(path)?.toString() ?? ''
}

function isOwnFolder(path: string): boolean {
  return existsSync(path) && lstatSync(path).isDirectory()
}
