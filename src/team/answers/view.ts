import { blockedTasks, failedDependencies, openDependencies } from '../board/board.ts'
import type { Member } from '../members/member.ts'
import type { Message } from '../message.ts'
import type { Request } from '../request.ts'
import { roster, type TeamState, type Unread } from '../state.ts'
import type { Attempt, Task } from '../task.ts'

/** The shapes people and programs see: `--json`, the files on disk, the library. Every member is always there. */
export interface TaskView {
  readonly id: string
  readonly subject: string
  readonly description: string
  readonly activeForm: string
  readonly status: Task['status']
  /** Kept after completion. */
  readonly owner: string | null
  readonly assignee: string | null
  readonly role: string | null
  readonly priority: number
  /** How much work it is, compared with a task without an estimate. */
  readonly estimate: number | null
  readonly blockedBy: readonly string[]
  /** Those of `blockedBy` that are not completed. */
  readonly waitsFor: readonly string[]
  /** Those of `waitsFor` that failed: only reopening or deleting them lets this task go on. */
  readonly waitsForFailed: readonly string[]
  readonly blocks: readonly string[]
  readonly files: readonly string[]
  readonly attempts: number
  readonly ended: readonly Attempt[]
  readonly result: string | null
  readonly commit: string | null
  readonly reason: string | null
  readonly leaseUntil: number | null
  readonly createdBy: string
  readonly createdAt: number
  readonly claimedAt: number | null
  readonly completedAt: number | null
  readonly seq: number
  /** There only where the lead takes a turn when the task ends. */
  readonly wakeLead?: true
}

export function taskView(state: TeamState, task: Task): TaskView {
  return {
    id: task.id,
    subject: task.subject,
    description: task.description,
    activeForm: task.activeForm,
    status: task.status,
    owner: task.status === 'pending' ? null : task.owner,
    assignee: task.assignee,
    role: task.role,
    priority: task.priority,
    estimate: task.estimate ?? null,
    blockedBy: task.blockedBy,
    waitsFor: openDependencies(state, task),
    waitsForFailed: failedDependencies(state, task),
    blocks: blockedTasks(state, task.id),
    files: task.files,
    attempts: task.attempts,
    ended: task.ended,
    result: task.status === 'completed' ? task.result : null,
    commit: task.status === 'completed' ? task.commit : null,
    reason: task.status === 'failed' ? task.reason : null,
    leaseUntil: task.status === 'in_progress' ? task.leaseUntil : null,
    createdBy: task.createdBy,
    createdAt: task.createdAt,
    claimedAt: task.status === 'pending' ? null : task.claimedAt,
    completedAt: task.status === 'completed' ? task.completedAt : null,
    seq: task.seq,
    ...(task.wakeLead && { wakeLead: true as const }),
  }
}

/** What a task waits for, in words: what failed is said, since waiting alone does not help there. */
export function waitsForWords({ waitsFor, waitsForFailed }: Pick<TaskView, 'waitsFor' | 'waitsForFailed'>): string {
  return waitsFor.map((id) => (waitsForFailed.includes(id) ? `${id} (failed)` : id)).join(', ')
}

/** `parked` is there only while it waits for the next run: why the last one ended in the middle of its work. */
export type MemberView = Pick<Member, 'name' | 'role' | 'kind' | 'status' | 'generation' | 'parked'>

export function memberView({ name, role, kind, status, generation, parked }: Member): MemberView {
  return { name, role, kind, status, generation, ...(parked !== undefined && { parked }) }
}

export interface TeamView {
  readonly name: string
  readonly description: string
  readonly members: readonly MemberView[]
}

export function teamView(state: TeamState): TeamView {
  const team = state.team.get()
  return { name: team?.name ?? '', description: team?.description ?? '', members: roster(state).map(memberView) }
}

/** A message as its reader sees it. `external`: left by some program in the mailbox file, sender unverified. */
export type MessageView = Message & { readonly external?: true; readonly redelivered?: true }

export function messageView({ message, external, redelivered }: Unread): MessageView {
  return {
    ...message,
    ...(external && { external: true as const }),
    ...(redelivered && { redelivered: true as const }),
  }
}

export type RequestView = Request
