import type { RecentCommit } from '../../agent/task-commits.ts'
import type { Task } from '../../team/task.ts'

/** Seconds for which a commit counts. */
export const RECENT_S = 2 * 60 * 60

/** How often a gate holds an agent. After that it goes on, and user and summary are told. */
export const MAX_HOLDS = 2

/**
 * Is this commit the work on this task? It names the task, or shares words with its subject: two of them, or one where
 * the subject has no more than two.
 */
export function isCommitOf({ id, subject }: Pick<Task, 'id' | 'subject'>, commit: RecentCommit, now: number): boolean {
  if (!isRecent(commit, now)) return false
  if (id.includes('/') && commit.message.split(/[^\w/-]+/).includes(id)) return true
  const wanted = keywordsOf(subject)
  if (wanted.size === 0) return true
  const said = keywordsOf(commit.message)
  const shared = [...wanted].filter((word) => said.has(word)).length
  return shared >= (wanted.size <= 2 ? 1 : 2)
}

/** `task: text`, where task is an id of the board or a kind of change with its scope: `feat(api): list users`. */
export function isWellFormed({ message }: RecentCommit): boolean {
  return /^(\d\d-\d\d\/T\d+|task \d+|[a-z]+(\([^()\n]+\))?!?): \S/.test(message)
}

export function isRecent({ at }: RecentCommit, now: number): boolean {
  return now - at <= RECENT_S
}

/** May a member that can still work go idle? Not with two plans that have no summary, nor with one and no recent commit. */
export function mayIdle(openPlans: number, recent: readonly RecentCommit[], now: number): boolean {
  if (openPlans >= 2) return false
  return openPlans === 0 || recent.some((commit) => isRecent(commit, now) && isWellFormed(commit))
}

const MIN_KEYWORD_LENGTH = 3
const COMMON = new Set('the and for with that this from into are was not all its can has have'.split(' '))

function keywordsOf(text: string): Set<string> {
  const words = text.toLowerCase().split(/[^\p{L}\p{N}]+/u)
  return new Set(words.filter((word) => word.length >= MIN_KEYWORD_LENGTH && !COMMON.has(word)))
}
