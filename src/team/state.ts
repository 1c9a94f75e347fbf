import { Groups } from './data/groups.ts'
import { merge, Sorted } from './data/sorted.ts'
import { Cell, Recent, Table, Trial } from './data/table.ts'
import type { OpenEscalation } from './mail/escalations.ts'
import { type Breaker, CLOSED } from './members/breaker.ts'
import { isOneShot, type Member } from './members/member.ts'
import { roleKey } from './members/role.ts'
import type { SessionFolder } from './members/session-folder.ts'
import type { Spent } from './members/usage.ts'
import type { Message } from './message.ts'
import { nameKey } from './name.ts'
import type { PhaseStep, RecordedHandOff } from './phases/phase.ts'
import type { LoadedPlan } from './plans/plan.ts'
import type { ReportedResult } from './plans/reported-result.ts'
import type { Request } from './request.ts'
import { compareReady, type ReadyTask, type Task, type TaskId } from './task.ts'

/** Raise it whenever the same journal would fold to another state: old snapshots are then ignored. */
export const FOLD_VERSION = 13

/** A repeated message id is recognised among the last so many; an older repeat counts as new. */
const MAX_REMEMBERED_MESSAGES = 100_000

export interface TeamFacts {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly createdAt: number
  readonly deleted: boolean
  /** The team of the lead that made this one as a further one. */
  readonly session: string | null
}

export interface Supervisor {
  readonly runtime: string | null
  readonly epoch: number
  /** Where its session works, or worked last; missing in what older versions wrote. */
  readonly folder?: SessionFolder | undefined
}

/** A message that its recipient has not read yet. Bodies of read mail are in the journal only. */
export interface Unread {
  readonly message: Message
  readonly place: number
  /** Came in through the mailbox file: text for a reader, never an approval or a request. */
  readonly external: boolean
  /** The reader it is assigned to; `take` names the record that assigned it. */
  readonly taken: { readonly take: string; readonly taker: string; readonly until: number } | null
  /** It was delivered before and never acknowledged. */
  readonly redelivered: boolean
}

/** Work that was left undone or uncommitted when a member stopped. */
export interface Deviation {
  readonly member: string
  readonly task: TaskId | null
  readonly text: string
  readonly at: number
}

export interface TeamState {
  readonly trial: Trial
  readonly team: Cell<TeamFacts | undefined>
  readonly supervisor: Cell<Supervisor>
  readonly members: Table<string, Member>
  /** By external or human member: the hash of its token. Members that joined before there were tokens have none. */
  readonly tokens: Table<string, string>
  readonly tasks: Table<TaskId, Task>
  readonly plans: Table<string, LoadedPlan>
  /** By folder of the phase and number of the step. */
  readonly steps: Table<string, PhaseStep>
  /** By the record that holds each, in the order of the journal. */
  readonly handOffs: Table<string, RecordedHandOff>
  /** The last of each kind, plan and sender. */
  readonly results: Table<string, ReportedResult>
  readonly requests: Table<string, Request>
  /** By the id of the message. */
  readonly escalations: Table<string, OpenEscalation>
  readonly mailboxes: Map<string, Table<string, Unread>>
  readonly archives: Table<string, number>
  /** By member: what its model calls used. */
  readonly spent: Table<string, Spent>
  readonly breaker: Cell<Breaker>
  /** By member: the last turn of its transcript that delivered mail, `''` if only its model calls are known. */
  readonly transcripts: Table<string, string>
  /** The newest at the end; all of them are in the journal. */
  readonly deviations: Cell<readonly Deviation[]>
  /** Further teams that this team's lead leads. */
  readonly leads: Cell<readonly string[]>
  /** Message id → hash of its content, to know our own lines in a mailbox file again. */
  readonly messages: Recent
  readonly counters: Cell<{ readonly task: number; readonly request: number; readonly place: number }>
  readonly index: BoardIndex
}

/** Computed from the tasks, never stored. */
export interface BoardIndex {
  /** Ready tasks by assignee and role (null: for any), in the order they are taken. */
  readonly ready: Map<string | null, Map<string | null, Sorted<ReadyTask>>>
  /** Task or plan → tasks that wait for it. */
  readonly dependents: Groups<string, TaskId>
  /** Member → the task it holds. */
  readonly holding: Table<string, TaskId>
  /** Member → how many of the tasks it holds or ever held. */
  readonly owned: Table<string, number>
  readonly plans: Table<string, { readonly total: number; readonly completed: number; readonly failed: number }>
  readonly planTasks: Groups<string, TaskId>
  /** Task or plan → its remaining path; missing: 0. */
  readonly paths: Table<string, number>
  /** Tasks and plans whose remaining path may have changed. */
  readonly unsettled: Table<string, true>
}

export function emptyState(): TeamState {
  const trial = new Trial()
  return {
    trial,
    team: new Cell<TeamFacts | undefined>(trial, undefined),
    supervisor: new Cell<Supervisor>(trial, { runtime: null, epoch: 0 }),
    members: new Table(trial),
    tokens: new Table(trial),
    tasks: new Table(trial),
    plans: new Table(trial),
    steps: new Table(trial),
    handOffs: new Table(trial),
    results: new Table(trial),
    requests: new Table(trial),
    escalations: new Table(trial),
    mailboxes: new Map(),
    archives: new Table(trial),
    spent: new Table(trial),
    transcripts: new Table(trial),
    breaker: new Cell<Breaker>(trial, CLOSED),
    deviations: new Cell<readonly Deviation[]>(trial, []),
    leads: new Cell<readonly string[]>(trial, []),
    messages: new Recent(trial, MAX_REMEMBERED_MESSAGES),
    counters: new Cell(trial, { task: 1, request: 1, place: 1 }),
    index: {
      ready: new Map(),
      dependents: new Groups(trial),
      holding: new Table(trial),
      owned: new Table(trial),
      plans: new Table(trial),
      planTasks: new Groups(trial),
      paths: new Table(trial),
      unsettled: new Table(trial),
    },
  }
}

export function memberNamed(state: TeamState, name: string): Member | undefined {
  return state.members.get(nameKey(name))
}

export function mailboxOf(state: TeamState, name: string): Table<string, Unread> {
  return mailboxAt(state, nameKey(name))
}

/** The same for callers that have the key of the name at hand. */
export function mailboxAt(state: TeamState, key: string): Table<string, Unread> {
  let mailbox = state.mailboxes.get(key)
  if (!mailbox) {
    mailbox = new Table(state.trial)
    state.mailboxes.set(key, mailbox)
  }
  return mailbox
}

/** Unread mail in the order it arrived. */
export function unreadOf(state: TeamState, name: string): Unread[] {
  return [...(state.mailboxes.get(nameKey(name))?.values() ?? [])].sort((a, b) => a.place - b.place)
}

/** The ready tasks for exactly this assignee and this role. */
export function readyList(
  { index, trial }: TeamState,
  { assignee, role }: Pick<Task, 'assignee' | 'role'>,
): Sorted<ReadyTask> {
  const name = assignee === null ? null : nameKey(assignee)
  const key = role === null ? null : roleKey(role)
  let lists = index.ready.get(name)
  if (!lists) {
    lists = new Map()
    index.ready.set(name, lists)
  }
  let list = lists.get(key)
  if (!list) {
    list = new Sorted(trial, compareReady)
    lists.set(key, list)
  }
  return list
}

/** The ready tasks for this assignee that a member with this role may take, in the order they are taken. */
export function readyForRole(state: TeamState, assignee: string | null, role: string): Iterable<ReadyTask> {
  const lists = state.index.ready.get(assignee === null ? null : nameKey(assignee))
  const [open, its] = [lists?.get(null), lists?.get(roleKey(role))]
  if (!open || !its) return (open ?? its)?.values() ?? []
  return merge(open.values(), its.values(), compareReady)
}

/** The members of the team, as everyone sees them. Agents that do one task are not among them. */
export function roster(state: TeamState): Member[] {
  return withOneShots(state).filter((member) => !isOneShot(member))
}

/** The same with agents that do one task: whatever may hold a claim. */
export function withOneShots(state: TeamState): Member[] {
  return [...state.members.values()].sort((a, b) => a.place - b.place)
}

export function heldBy(state: TeamState, name: string): Task | undefined {
  const id = state.index.holding.get(nameKey(name))
  return id === undefined ? undefined : state.tasks.get(id)
}
