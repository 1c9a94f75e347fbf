import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { AlarmClock } from '../../journal/clock.ts'
import { namesIn, statusOf } from '../../permissions/paths/safe-reads.ts'
import type { Git } from '../../permissions/sandbox/run-git.ts'
import { type ChangedFile, firstLine, type RepositoryState, repositoryState } from './changed-files.ts'
import { gitDate, type UserGit } from './user-git.ts'
import { type IndexChange, indexChanges, takeIntoIndex } from './user-index.ts'

export interface CommitRequest {
  /** Whether a changed file belongs into the commit, by its path in the workspace. */
  isMeant(path: string): boolean
  readonly message: string
  readonly user: UserGit
}

/**
 * committed   `hash` is the new commit, `short` its short form; `leftInIndex` are files of which the user's index holds
 *             something else than the commit before: that stays staged
 * nothing     no file of the request is changed
 * impossible  git cannot commit here, now or at all; `next` is what the user can do about it
 * locked      other processes held the repository in every try
 * failed      git could not write: the disk is full, an object is broken
 */
export type CommitResult =
  | {
      readonly kind: 'committed'
      readonly hash: string
      readonly short: string
      readonly files: readonly string[]
      readonly leftInIndex: readonly string[]
      readonly filtered: readonly string[]
    }
  | { readonly kind: 'nothing'; readonly filtered: readonly string[] }
  | { readonly kind: 'impossible'; readonly why: string; readonly next: string }
  | { readonly kind: 'locked'; readonly why: string }
  | { readonly kind: 'failed'; readonly why: string }

/** Seconds before each further try: 6.2 s in all. */
const PAUSES_S = [0.2, 0.4, 0.8, 1.6, 3.2]

/**
 * Commits these files and no others: the commit is built from the checked-out one in an index of its own, then the branch
 * moves only if it is still where it was. In the user's index the entries of these files follow; nothing else changes
 * there. One commit at a time per repository.
 */
export function commitFiles(git: Git, request: CommitRequest, clock: AlarmClock): Promise<CommitResult> {
  return oneAtATime(async () => {
    for (let pauses = 0; ; pauses++) {
      const result = await tryToCommit(git, request, clock)
      const mayPass = result.kind === 'locked' || result.kind === 'failed'
      if (!mayPass || pauses === PAUSES_S.length) return result
      await new Promise<void>((resolve) => clock.in(PAUSES_S[pauses]!, resolve))
    }
  })
}

/** Departments of one process wait here; processes find out by the branch that has moved. */
let last: Promise<unknown> = Promise.resolve()

function oneAtATime<T>(work: () => Promise<T>): Promise<T> {
  const next = last.then(work, work)
  last = next.catch(() => {})
  return next
}

async function tryToCommit(git: Git, request: CommitRequest, clock: AlarmClock): Promise<CommitResult> {
  const state = await repositoryState(git, request.user)
  if ('why' in state) return { kind: 'impossible', ...state }
  const meant = state.changed.filter(({ path }) => request.isMeant(path))
  const filtered = await filteredFiles(git, meant)
  const files = meant.filter(({ path }) => !filtered.includes(path))
  if (files.length === 0) return { kind: 'nothing', filtered }
  const date = gitDate(clock.now())
  const env = { ...request.user.author, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }
  const built = await buildCommit(git, state, files, { message: request.message, env })
  if ('why' in built) return failureOf(built.why)
  if (built.changes.length === 0) return { kind: 'nothing', filtered }
  const { hash, changes, entries } = built
  // The index first: if this process ends here, the files are staged, and nothing of theirs looks reverted.
  const taken = await takeIntoIndex(git, changes, entries)
  if ('why' in taken) return failureOf(taken.why)
  const old = state.head ?? '0'.repeat(hash.length)
  const log = `commit: ${firstLine(request.message)}`
  const moved = await git.run(['update-ref', '-m', log, 'HEAD', hash, old], { env })
  if (moved.code !== 0) {
    await taken.undo()
    return failureOf(firstLine(moved.stderr))
  }
  const own = (path: string) => path.slice(state.prefix.length)
  return {
    ...{ kind: 'committed', hash, short: shortHash(hash), filtered },
    files: changes.map(({ path }) => own(path)),
    leftInIndex: taken.left.map(own),
  }
}

/** What git says when it cannot write. Where this session may never write, trying again changes nothing. */
function failureOf(why: string): CommitResult {
  if (/read-only file system|permission denied/i.test(why))
    return { kind: 'impossible', why, next: 'Check who may write to the repository' }
  return { kind: /\block\b|\.lock\b|but expected|reference already exists/.test(why) ? 'locked' : 'failed', why }
}

/** Enough to be the only one in any repository that people make. */
const SHORT_LENGTH = 10

export function shortHash(hash: string): string {
  return hash.slice(0, SHORT_LENGTH)
}

/** What a filter would change on its way into the repository: filters do not run, so these files cannot be committed. */
async function filteredFiles(git: Git, files: readonly ChangedFile[]): Promise<string[]> {
  if (git.filters.size === 0 || files.length === 0) return []
  const input = files.map(({ path }) => `${path}\0`).join('')
  const { stdout } = await git.run(['check-attr', '-z', '--stdin', 'filter'], { input })
  const words = stdout.split('\0')
  return files
    .map(({ path }) => path)
    .filter((path, i) => words[3 * i] === path && git.filters.has(words[3 * i + 2] ?? ''))
}

interface BuiltCommit {
  readonly hash: string
  readonly changes: readonly IndexChange[]
  /** What the user's index says. */
  readonly entries: readonly string[]
}

interface NewCommit {
  readonly message: string
  readonly env: Readonly<Record<string, string>>
}

/** Writes the commit without making it visible. */
async function buildCommit(
  git: Git,
  { gitFolder, head }: RepositoryState,
  files: readonly ChangedFile[],
  { message, env }: NewCommit,
): Promise<BuiltCommit | { readonly why: string }> {
  removeStaleIndexes(gitFolder)
  const index = join(gitFolder, `deskmates-${randomUUID()}.index`)
  const listed = (isDeleted: boolean) =>
    files.flatMap((file) => (file.isDeleted === isDeleted ? `${file.path}\0` : [])).join('')
  const run = (text: string, input: string) => git.script(text, [index, head ?? '', message], { env, input })
  try {
    const gone = listed(true)
    const removed = gone === '' ? undefined : await run(REMOVE, gone)
    const end = removed === undefined || removed.code === 0 ? await run(BUILD, listed(false)) : removed
    if (end.code !== 0) return { why: `git failed: ${firstLine(end.stderr) || end.error?.message}` }
    const [hash = '', ...rest] = end.stdout.split('\0')
    const entries = rest.findIndex((part, i) => i % 2 === 0 && !part.startsWith(':'))
    return { hash, changes: indexChanges(rest.slice(0, entries)), entries: rest.slice(entries) }
  } finally {
    rmSync(index, { force: true })
  }
}

/** Longer than any commit takes. */
const STALE_MS = 10 * 60 * 1000

/** What a killed process left. */
function removeStaleIndexes(gitFolder: string): void {
  for (const name of namesIn(gitFolder)) {
    const path = join(gitFolder, name)
    if (!/^deskmates-[0-9a-f-]{36}\.index(\.lock)?$/.test(name)) continue
    if (Date.now() - (statusOf(path)?.mtimeMs ?? Number.NaN) > STALE_MS) rmSync(path, { force: true })
  }
}

const BEGIN = `export GIT_INDEX_FILE="$1"
[ -e "$1" ] || [ -z "$2" ] || git read-tree "$2"
`
const REMOVE = `${BEGIN}git update-index -z --force-remove --stdin`
const BUILD = `${BEGIN}git update-index -z --add --replace --stdin
tree=$(git write-tree)
hash=$(git commit-tree "$tree" \${2:+-p "$2"} -m "$3")
printf '%s\\0' "$hash"
git diff-tree -r -z --raw --no-renames --no-relative --no-ext-diff --no-commit-id \${2:---root} "$hash"
unset GIT_INDEX_FILE
git ls-files --full-name --stage -z -- :/`
