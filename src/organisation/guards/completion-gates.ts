/** A commit as git shows it. */
export interface CommitFact {
  readonly subject: string
  /** Seconds since 1970. */
  readonly at: number
}

const RECENT_SECONDS = 2 * 60 * 60

/** `fix(api): say why` as the project's commits begin. */
const WELL_FORMED = /^[a-z]+(?:\([^)]+\))?!?: \S/

/** What a gate does when its facts cannot be read: `open` lets the agent pass, `closed` holds it. */
export type OnError = 'open' | 'closed'

export interface IdleFacts {
  readonly plans: number
  readonly summaries: number
  /** Undefined: git could not be asked. */
  readonly commits: readonly CommitFact[] | undefined
}

/**
 * Why a teammate may not rest yet; undefined where it may. Two plans without a summary hold it, and so does one without a
 * recent commit.
 */
export function idleProblem(
  { plans, summaries, commits }: IdleFacts,
  now: number,
  onError: OnError,
): string | undefined {
  const open = plans - summaries
  if (open <= 0) return undefined
  if (open >= 2) return `${open} plans have no summary yet. Finish their tasks, or report what blocks them.`
  if (!commits) return onError === 'open' ? undefined : NO_GIT
  const isRecent = commits.some(({ subject, at }) => now - at <= RECENT_SECONDS && WELL_FORMED.test(subject))
  return isRecent
    ? undefined
    : 'A plan has no summary and no commit of the last two hours. Finish its tasks and commit them.'
}

/** Why a task does not count as completed: no recent commit shares words with its subject. */
export function completionProblem(
  subject: string,
  commits: readonly CommitFact[] | undefined,
  now: number,
  onError: OnError,
): string | undefined {
  if (!commits) return onError === 'open' ? undefined : NO_GIT
  const wanted = keywords(subject)
  const needed = wanted.size <= 2 ? Math.min(1, wanted.size) : 2
  const fits = commits.some(({ subject: text, at }) => {
    const found = keywords(text)
    return now - at <= RECENT_SECONDS && [...wanted].filter((word) => found.has(word)).length >= needed
  })
  return fits ? undefined : `No commit of the last two hours names "${subject}". Commit the work of this task first.`
}

const NO_GIT = 'git could not be asked about commits, and this gate is closed then.'

/** Words that say little about a task are not compared. */
const COMMON = new Set(['the', 'and', 'for', 'with', 'from', 'into', 'that', 'this', 'add', 'task'])

function keywords(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []
  return new Set(words.filter((word) => !COMMON.has(word)))
}
