import type { Task } from '../team/task.ts'

/** A completion is refused: the files of the task could not be committed. */
export function repositoryLockedText(id: string, why: string): string {
  return `Task ${id} is not completed yet: the repository was locked in every try (${why}). Escalate to Senior what holds it, or complete the task again later.`
}

/** A completion is refused: git could not write. */
export function commitFailedText(id: string, why: string): string {
  return `Task ${id} is not completed yet: git could not commit its files (${why}). If you can, remove the cause, such as large files that you made; then complete the task again, or escalate to Senior.`
}

/** For the user and the summary: the work on a task is in the folder and in no commit. */
export function notCommittedText(why: string): string {
  return `not committed: ${why}. Commit its files yourself`
}

/** A completion is refused: nothing was committed for the task. */
export function noCommitText({ id, files }: Pick<Task, 'id' | 'files'>): string {
  return `Task ${id} is not completed yet: no commit of the last 2 hours belongs to it. Change what it reserves (${files.join(', ')}), then complete it; or fail it with the reason.`
}

/** A turn may not end yet. */
export function openPlansText(plans: readonly string[], { id }: Pick<Task, 'id'>): string {
  return `You hold task ${id}, and ${plans.length === 1 ? 'plan' : 'plans'} ${plans.join(', ')} ${plans.length === 1 ? 'has' : 'have'} no summary yet. Go on with your task: complete it, fail it with the reason, or ask for what you need.`
}

/** For the user and the summary: a gate let an agent pass after so many tries. */
export function gateHeldText(times: number, text: string): string {
  return `went on after being held ${times} times. ${text}`
}
