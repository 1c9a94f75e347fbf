import { execFileSync } from 'node:child_process'
import { editsOf, type Mutation } from './mutation.ts'

/** What the repository says about this checkout; undefined members where it has no history. */
export interface History {
  readonly commit?: string | undefined
  /** Files that differ from the commit before the last one. */
  readonly changed: ReadonlySet<string>
  /** The mutation files as they were then, in one text. */
  readonly mutationsBefore?: string | undefined
}

/** A refactoring changes the files of most mutations: more than these are left to `npm run test:mutations`. */
const MAX_CHANGED = 24

/**
 * `all`, names separated by commas, or (in `npm test`) those whose source, test or own text changed with the last commit
 * or since, and a tenth of the others. The tenth, and which of too many changed ones are tried, rotate with the commit.
 */
export function chooseMutations(all: readonly Mutation[], wanted: string | undefined, history: History): Mutation[] {
  if (wanted === 'all') return [...all]
  if (wanted !== undefined) {
    const names = wanted.split(',')
    const unknown = names.filter((name) => !all.some((mutation) => mutation.name === name))
    if (unknown.length > 0) throw new Error(`Unknown mutations: ${unknown.join(', ')}.`)
    return all.filter(({ name }) => names.includes(name))
  }
  const turn = Number.parseInt(history.commit?.slice(0, 8) ?? '0', 16)
  const changed = all.filter((mutation) => hasChanged(mutation, history))
  const start = changed.length > MAX_CHANGED ? turn % changed.length : 0
  const tried = new Set([...changed.slice(start), ...changed.slice(0, start)].slice(0, MAX_CHANGED))
  return all.filter((mutation, index) => index % 10 === turn % 10 || tried.has(mutation))
}

function hasChanged(mutation: Mutation, { changed, mutationsBefore }: History): boolean {
  const { name, test } = mutation
  const isNew = mutationsBefore !== undefined && !mutationsBefore.includes(`'${name}'`)
  return isNew || changed.has(test) || editsOf(mutation).some(({ file }) => changed.has(file))
}

export function readHistory(root: string): History {
  const git = (...args: string[]) => {
    try {
      return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    } catch {
      // A shallow clone, an exported tree, a machine without git: then only the rotating tenth runs.
      return undefined
    }
  }
  const changed = git('diff', '--name-only', 'HEAD~1') ?? ''
  return {
    commit: git('rev-parse', 'HEAD'),
    changed: new Set(changed.split('\n').filter((line) => line !== '')),
    mutationsBefore: git('grep', '-h', 'name:', 'HEAD~1', '--', 'test/mutations'),
  }
}
