import type { Git } from '../../permissions/sandbox/run-git.ts'
import { firstLine } from './changed-files.ts'

/** What a commit makes of one file, by its path in the repository. */
export interface IndexChange {
  readonly path: string
  readonly before: IndexEntry
  readonly after: IndexEntry
}

/** Mode and object; `0` and zeros where there is none. */
interface IndexEntry {
  readonly mode: string
  readonly object: string
}

/** Reads the parts of `git diff-tree --raw -z`: `:100644 100644 OLD NEW M`, then the path. */
export function indexChanges(parts: readonly string[]): IndexChange[] {
  const changes: IndexChange[] = []
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const [mode = '', newMode = '', object = '', newObject = ''] = parts[i]!.slice(1).split(' ')
    changes.push({ path: parts[i + 1]!, before: { mode, object }, after: { mode: newMode, object: newObject } })
  }
  return changes
}

export interface TakenIntoIndex {
  /** Files of which the index held something else: the user staged that, and it stays. */
  readonly left: readonly string[]
  undo(): Promise<void>
}

/**
 * Makes the user's index say about these files what the commit says, where it said the same as the commit before. All
 * other entries stay as they are, and so do entries that the user staged.
 */
export async function takeIntoIndex(
  git: Git,
  changes: readonly IndexChange[],
  entries: readonly string[],
): Promise<TakenIntoIndex | { readonly why: string }> {
  const staged = readEntries(entries)
  const state = ({ path, before, after }: IndexChange) => {
    const entry = staged.get(path) ?? absentLike(after.object)
    return isSame(entry, after) ? 'done' : isSame(entry, before) ? 'due' : 'left'
  }
  const due = changes.filter((change) => state(change) === 'due')
  const problem = await write(git, due, ({ after }) => after)
  if (problem !== undefined) return { why: problem }
  return {
    left: changes.filter((change) => state(change) === 'left').map(({ path }) => path),
    async undo() {
      await write(git, due, ({ before }) => before)
    },
  }
}

/** One call, so that the index has all of it or nothing. */
async function write(
  git: Git,
  changes: readonly IndexChange[],
  entryOf: (change: IndexChange) => IndexEntry,
): Promise<string | undefined> {
  if (changes.length === 0) return undefined
  // Removed entries first: a file may stand in the place of a folder.
  const lines = changes.map((change) => ({ path: change.path, ...entryOf(change) }))
  const input = [...lines.filter(isAbsent), ...lines.filter((line) => !isAbsent(line))]
    .map(({ mode, object, path }) => `${isAbsent({ mode }) ? '0' : mode} ${object}\t${path}\0`)
    .join('')
  const end = await git.run(['update-index', '-z', '--index-info'], { input })
  return end.code === 0 ? undefined : firstLine(end.stderr) || 'git update-index failed'
}

/** Reads the parts of `git ls-files --stage -z`. An entry in conflict has several stages and equals nothing. */
function readEntries(lines: readonly string[]): Map<string, IndexEntry> {
  const entries = new Map<string, IndexEntry>()
  for (const line of lines) {
    const [, mode, object, stage, path] = /^(\d+) ([0-9a-f]+) (\d)\t(.*)$/s.exec(line) ?? []
    if (path !== undefined) entries.set(path, { mode: mode!, object: stage === '0' ? object! : 'conflict' })
  }
  return entries
}

function absentLike(object: string): IndexEntry {
  return { mode: '000000', object: '0'.repeat(object.length) }
}

function isAbsent({ mode }: Pick<IndexEntry, 'mode'>): boolean {
  return /^0+$/.test(mode)
}

function isSame(one: IndexEntry, other: IndexEntry): boolean {
  return one.mode === other.mode && one.object === other.object
}
