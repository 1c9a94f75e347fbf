import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { TeamError } from '../../team/errors.ts'
import { orUndefined } from './disk.ts'

export interface Root {
  /** The folder that holds `.teams` and `.tasks`; with DESKMATES_DIR it may not exist yet. */
  readonly root: string
  /** The folder of the project itself; the same unless DESKMATES_DIR keeps the state elsewhere. */
  readonly workspace: string
  /** Why this folder was chosen, to show to people. */
  readonly how: string
}

/**
 * The nearest ancestor with `.teams`, no higher than the main work tree's top level and, outside git, never at or above
 * the home folder unless it is the current folder; else the git top level; else the current folder. No git process is started:
 * it would take longer than most commands.
 */
export function findRoot(cwd: string, env: NodeJS.ProcessEnv, home: string): Root {
  const here = folder(cwd, 'The folder to work in', 'Go to a folder that exists, or name one with --cwd.')
  const found = workspaceOf(here, home)
  if (!env.DESKMATES_DIR) return { ...found, root: found.workspace }
  const root = reached(resolve(here, env.DESKMATES_DIR))
  folder(upwards(root).find(exists) ?? root, 'DESKMATES_DIR', 'Name a folder that exists or can be created.')
  return { root, workspace: found.workspace, how: 'named by DESKMATES_DIR' }
}

export class NotAFolder extends TeamError {
  readonly code = 'not_a_folder'
  constructor(what: string, path: string, next: string, cause?: unknown) {
    super(`${what} (${path}) is not a folder that can be opened. ${next}`, { cause })
  }
}

function workspaceOf(here: string, home: string): { workspace: string; how: string } {
  const git = gitAround(here)
  if (git) {
    const team = upwards(git.from).find((dir) => isInside(dir, git.top) && holdsTeams(dir))
    if (team) return { workspace: team, how: 'the nearest folder with .teams' }
    return { workspace: git.top, how: git.how }
  }
  const ceiling = home === '' ? undefined : reached(resolve(home))
  const mayHold = (dir: string) => dir === here || ceiling === undefined || !isInside(ceiling, dir)
  const team = upwards(here).find((dir) => mayHold(dir) && holdsTeams(dir))
  if (team) return { workspace: team, how: 'the nearest folder with .teams' }
  return { workspace: here, how: 'the current folder, because there is neither .teams nor git around it' }
}

interface Git {
  /** Top level of the main work tree. */
  readonly top: string
  /** Where the search for `.teams` begins. */
  readonly from: string
  readonly how: string
}

function gitAround(here: string): Git | undefined {
  const top = upwards(here).find(isWorkTree)
  if (top === undefined) return undefined
  const main = mainOf(top)
  if (main === undefined || main === top) return { top, from: here, how: 'the top level of the git work tree' }
  // All work trees of a repository share their teams, so `.teams` inside a linked work tree does not count: it would be a
  // checked-out copy. A linked work tree inside the main one still has the folders around it.
  const from = isInside(top, main) ? dirname(top) : main
  return { top: main, from, how: 'the top level of the main git work tree' }
}

/** As git sees it: a folder with HEAD (which may be a dangling link), or a file that points to such a folder. */
function isWorkTree(dir: string): boolean {
  const git = join(dir, '.git')
  // A broken pointer still marks where a work tree begins. Searching above it could end in another repository.
  return kind(git) === 'file' || (kind(git) === 'folder' && exists(join(git, 'HEAD')))
}

/** The main work tree's top level, undefined where the files in `.git` do not tell (broken, or a bare repository). */
function mainOf(top: string): string | undefined {
  const gitDir = gitDirOf(top)
  if (gitDir === undefined) return top
  // Only a linked work tree has `commondir`; a submodule or a separate git dir is a main work tree of its own.
  const common = text(join(gitDir, 'commondir')).trim()
  if (common === '') return top
  const commonDir = reached(resolve(gitDir, common))
  if (basename(commonDir) === '.git') return exists(join(commonDir, 'HEAD')) ? dirname(commonDir) : undefined
  // A submodule's repository says in its config where its main work tree is, a bare one in a `.git` file beside it.
  const named = /^\s*worktree = (.+)$/m.exec(text(join(commonDir, 'config')))?.[1]
  const main = named ? reached(resolve(commonDir, named.trim())) : dirname(commonDir)
  return gitDirOf(main) === commonDir ? main : undefined
}

/** What the `.git` file in a work tree points to. */
function gitDirOf(top: string): string | undefined {
  const pointer = /^gitdir: (.+)$/m.exec(text(join(top, '.git')))?.[1]
  return pointer && reached(resolve(top, pointer.trim()))
}

function holdsTeams(dir: string): boolean {
  return kind(join(dir, '.teams')) === 'folder'
}

/** The folder itself, then each one around it. */
function upwards(dir: string): string[] {
  const parent = dirname(dir)
  return parent === dir ? [dir] : [dir, ...upwards(parent)]
}

/** True also for the folder itself. */
function isInside(path: string, dir: string): boolean {
  const way = relative(dir, path)
  return way !== '..' && !way.startsWith(`..${sep}`)
}

function folder(path: string, what: string, next: string): string {
  try {
    const real = realpathSync(path)
    if (statSync(real).isDirectory()) return real
  } catch (error) {
    throw new NotAFolder(what, path, next, error)
  }
  throw new NotAFolder(what, path, next)
}

/** The real path as far as it exists, so that a folder has the same path before and after it is created. */
function reached(path: string): string {
  const parent = dirname(path)
  return orUndefined(() => realpathSync(path)) ?? (parent === path ? path : join(reached(parent), basename(path)))
}

function kind(path: string): 'folder' | 'file' | 'absent' {
  const stat = orUndefined(() => statSync(path))
  if (stat === undefined) return 'absent'
  return stat.isDirectory() ? 'folder' : 'file'
}

function exists(path: string): boolean {
  return orUndefined(() => lstatSync(path)) !== undefined
}

/** '' if there is no readable file; at most 64 KB, which is more than git writes. */
function text(path: string): string {
  return orUndefined(() => (statSync(path).isFile() ? readFileSync(path, 'utf8').slice(0, 65_536) : '')) ?? ''
}
