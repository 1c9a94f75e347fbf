import { existsSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isInsideAny } from '../../paths/places.ts'
import { orUndefined, readPlainFile, statusOf } from '../../paths/safe-reads.ts'
import { gitFolderNamedBy } from './check-repository.ts'
import { readGitConfig } from './git-config.ts'
import { type ProtectedGit, protectFolder, protectWorktree, worktreeOf } from './git-folders.ts'

/**
 * A repository whose folder is outside of the workspace although the workspace belongs to it: the workspace is a folder
 * below its top, or the work tree of a submodule. Commands of agents do not reach it; git of ours commits there.
 */
export interface OuterRepository {
  readonly git: ProtectedGit
  /** So that git finds this repository and no other one. */
  readonly env: { readonly GIT_DIR: string; readonly GIT_WORK_TREE: string }
  /** Files above the workspace that say what is ignored and how files are converted. */
  readonly shown: readonly string[]
}

/** Undefined where the repository is in reach of commands, or where there is none that belongs to this user. */
export function findOuterRepository(root: string, folders: readonly string[]): OuterRepository | undefined {
  const top = upwards(root).find((folder) => statusOf(join(folder, '.git')) !== undefined)
  if (top === undefined) return undefined
  const path = join(top, '.git')
  const found = statusOf(path)!.isDirectory() ? folderAbove(path, top, root) : folderElsewhere(path, top, root)
  if (!found || isInsideAny(folders, found.own) || !isOurs(found.own) || !isOurs(path)) return undefined
  return {
    git: { ...protectedParts(found, path, folders), shared: [found.shared] },
    env: { GIT_DIR: found.own, GIT_WORK_TREE: top },
    shown: foldersBetween(top, root)
      .flatMap((folder) => RULES.map((name) => join(folder, name)))
      .filter((file) => statusOf(file)?.isFile()),
  }
}

const RULES = ['.gitignore', '.gitattributes']

/** `own` is the folder of git; `shared` that of the main repository where it is a worktree. */
interface GitFolder {
  readonly kind: 'folder' | 'worktree' | 'submodule'
  readonly own: string
  readonly shared: string
}

function folderAbove(path: string, top: string, root: string): GitFolder | undefined {
  return top === root || !existsSync(join(path, 'HEAD')) ? undefined : { kind: 'folder', own: path, shared: path }
}

/** What a `.git` file names counts only where the folder names this work tree too. */
function folderElsewhere(file: string, top: string, root: string): GitFolder | undefined {
  const worktree = worktreeOf(file)
  // The worktree of the workspace itself is in reach of commands, and protected there.
  if (worktree) return top === root ? undefined : { kind: 'worktree', ...worktree }
  const own = orUndefined(() => realpathSync(gitFolderNamedBy(file) ?? ''))
  if (own === undefined || !existsSync(join(own, 'HEAD')) || existsSync(join(own, 'commondir'))) return undefined
  const named = readGitConfig(readPlainFile(join(own, 'config'))?.toString() ?? '')?.find(
    ({ section, part, name }) => section === 'core' && part === '' && name === 'worktree',
  )?.value
  const agrees = named !== undefined && orUndefined(() => realpathSync(resolve(own, named))) === realpathSync(top)
  return agrees ? { kind: 'submodule', own, shared: own } : undefined
}

function protectedParts({ kind, own }: GitFolder, path: string, folders: readonly string[]): ProtectedGit {
  if (kind === 'worktree') return protectWorktree(path, folders)
  return protectFolder(own, folders, { isPinned: true })
}

/** git itself believes no repository of another user: anyone can make one in a folder like /tmp. */
function isOurs(path: string): boolean {
  return process.getuid === undefined || orUndefined(() => statSync(path).uid) === process.getuid()
}

/** From the folder around the workspace up to the top. */
function foldersBetween(top: string, root: string): string[] {
  return root === top ? [] : upwards(dirname(root)).filter((folder) => isInsideAny([top], folder))
}

/** The folder itself, then each one around it. */
function upwards(folder: string): string[] {
  const folders = [folder]
  for (let at = dirname(folder); at !== folders.at(-1); at = dirname(at)) folders.push(at)
  return folders
}
