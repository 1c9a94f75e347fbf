import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Git } from '../../permissions/sandbox/run-git.ts'
import type { UserGit } from './user-git.ts'

/** A repository as it is now. Paths are relative to the workspace. */
export interface RepositoryState {
  readonly gitFolder: string
  /** Of the workspace inside of the repository, with a slash at its end; empty at the top. */
  readonly prefix: string
  /** The commit that is checked out; null before the first one. */
  readonly head: string | null
  /** Files that differ from it, in the index or on disk; ignored files and nested repositories are left out. */
  readonly changed: readonly ChangedFile[]
}

export interface ChangedFile {
  readonly path: string
  readonly isDeleted: boolean
}

/** Why nothing can be committed here, and what the user can do about it. */
export interface NoRepository {
  readonly why: string
  readonly next: string
}

/** What git leaves in its folder while the user is in the middle of something, and how that ends. */
const IN_PROGRESS: Readonly<Record<string, readonly [what: string, next: string]>> = {
  MERGE_HEAD: ['a merge', 'Finish it with git commit, or undo it with git merge --abort'],
  CHERRY_PICK_HEAD: ['a cherry-pick', 'Finish it with git cherry-pick --continue, or undo it with --abort'],
  REVERT_HEAD: ['a revert', 'Finish it with git revert --continue, or undo it with --abort'],
  BISECT_LOG: ['a bisection', 'End it with git bisect reset'],
  'rebase-merge': ['a rebase', 'Finish it with git rebase --continue, or undo it with --abort'],
  'rebase-apply': ['a rebase', 'Finish it with git rebase --continue (or git am --continue), or undo it with --abort'],
  sequencer: ['a cherry-pick or revert', 'Finish it with git cherry-pick --continue, or undo it with --abort'],
}

export async function repositoryState(
  git: Git,
  { ignores = '/dev/null' }: Pick<UserGit, 'ignores'>,
): Promise<RepositoryState | NoRepository> {
  const found = await git.script(STATE, [ignores])
  if (found.code === NO_REPOSITORY) return { why: 'the workspace is not in a git repository of yours', next: NO_GIT }
  if (found.code !== 0) return { why: `git status failed: ${firstLine(found.stderr)}`, next: 'Run git status' }
  const [gitFolder = '', prefix = ''] = found.stdout.split('\n', 2)
  const open = Object.keys(IN_PROGRESS).find((name) => existsSync(join(gitFolder, name)))
  if (open !== undefined) {
    const [what, next] = IN_PROGRESS[open]!
    return { why: `${what} is in progress in the repository`, next }
  }
  const lines = found.stdout.slice(gitFolder.length + prefix.length + 2).split('\0')
  const head = lines.find((line) => line.startsWith(HEAD))?.slice(HEAD.length)
  return { gitFolder, prefix, head: head === '(initial)' ? null : (head ?? null), changed: readStatus(lines, prefix) }
}

const NO_REPOSITORY = 3
const NO_GIT = 'Run git init, or switch commits off'
const STATE = `git rev-parse --path-format=absolute --git-dir --show-prefix || exit ${NO_REPOSITORY}
git -c core.excludesFile="$1" status --porcelain=v2 --branch -z --no-renames --untracked-files=all \
  --ignore-submodules=all -- . ':!.teams' ':!.tasks'`
const HEAD = '# branch.oid '

/**
 * Lines of a changed, conflicting or new file: `1 XY …`, `u XY …`, `? path`. A file that was removed from the index and is
 * still on disk has two: it is there.
 */
function readStatus(lines: readonly string[], prefix: string): ChangedFile[] {
  const files = new Map<string, boolean>()
  for (const line of lines) {
    const [, states, path] = /^(?:1 (\S\S)(?: \S+){6}|u (?:\S\S)(?: \S+){8}|\?) (.*)$/s.exec(line) ?? []
    // A slash at the end: another repository, whose files are not ours.
    if (path === undefined || path.endsWith('/') || !path.startsWith(prefix)) continue
    const isDeleted = states !== undefined && (states[1] === 'D' || states === 'D.')
    const name = path.slice(prefix.length)
    files.set(name, isDeleted && (files.get(name) ?? true))
  }
  return [...files].map(([path, isDeleted]) => ({ path, isDeleted }))
}

export function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? ''
}
