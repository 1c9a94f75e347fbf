import type { Task } from '../team/task.ts'
import type { Membership } from './membership.ts'

/** Commits for the work of agents on tasks. */
export interface TaskCommits {
  /** The runtime commits: only where the user switched that on. */
  readonly isOn: boolean
  /** Before each effect of an agent: what was changed before its task began is on record. */
  beforeEffect(membership: Membership): Promise<void>
  /** Commits what was done for a task that its owner holds, before it ends. */
  commit(membership: Membership, task: Task, options: { readonly isPartial: boolean }): Promise<TaskCommit>
  /** Counts how often the completion of a task was refused; `key` names the task and its attempt. */
  countHold(key: string): number
  /** The last commits of the repository, also those of people; undefined where git cannot tell. */
  recent(): Promise<readonly RecentCommit[] | undefined>
}

export interface RecentCommit {
  /** Seconds since 1970. */
  readonly at: number
  readonly hash: string
  /** All of it. */
  readonly message: string
}

/** What members of a role have to have done before they idle or complete a task. */
export interface RoleGates {
  readonly idle: boolean
  readonly completion: boolean
}

/**
 * committed    `commit` is its short hash
 * nothing      none of its files changed
 * impossible   git cannot commit here
 * locked       other processes held the repository in every try
 * failed       git could not write
 */
export type TaskCommit =
  | { readonly kind: 'committed'; readonly commit: string }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'impossible' | 'locked' | 'failed'; readonly why: string }
