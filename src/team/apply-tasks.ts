import type { Place } from './apply.ts'
import { putTask } from './board.ts'
import type { EventOf, TeamEvent } from './event.ts'
import { nameKey } from './name.ts'
import { memberNamed, type TeamState } from './state.ts'
import { type Attempt, planOf, type Task } from './task.ts'

type TaskEvent = Extract<TeamEvent, { type: `task.${string}` }>

export function applyTaskEvent(state: TeamState, event: TaskEvent, place: Place): void {
  if (event.type === 'task.created') return create(state, event, place)
  const task = state.tasks.get(event.id)
  if (!task) return
  switch (event.type) {
    case 'task.updated': {
      const { type: _, id, ...changes } = event
      return putTask(state, id, { ...task, ...changes, seq: place.seq })
    }
    case 'task.claimed': {
      const { id, owner, generation, lease } = event
      const leaseUntil = lease === null ? null : place.at + lease
      const claim = { status: 'in_progress', owner, generation, lease, leaseUntil, claimedAt: place.at } as const
      putTask(state, id, { ...unclaimed(task), ...claim, attempts: task.attempts + 1, seq: place.seq })
      return showActivity(state, owner, 'working')
    }
    case 'task.renewed':
      if (task.status !== 'in_progress') return
      return putTask(state, task.id, {
        ...task,
        lease: event.lease,
        leaseUntil: place.at + event.lease,
        seq: place.seq,
      })
    case 'task.released':
      return end(state, task, { end: event.end, reason: event.reason }, place)
    case 'task.reopened':
      return end(state, task, { end: 'reopened' }, place)
    case 'task.completed': {
      if (task.status !== 'in_progress') return
      const { result, commit } = event
      const { owner, claimedAt } = task
      const done = { status: 'completed', owner, claimedAt, completedAt: place.at, result, commit } as const
      putTask(state, task.id, { ...unclaimed(task), ...done, seq: place.seq })
      return showActivity(state, owner, 'idle')
    }
    case 'task.failed': {
      if (task.status !== 'in_progress') return
      const { owner, claimedAt } = task
      const failed = { status: 'failed', owner, claimedAt, failedAt: place.at, reason: event.reason } as const
      putTask(state, task.id, { ...unclaimed(task), ...failed, seq: place.seq })
      return showActivity(state, owner, 'idle')
    }
    case 'task.deleted':
      putTask(state, task.id, undefined)
      return detach(state, task.id, place)
    default:
      event satisfies never
  }
}

function create(state: TeamState, event: EventOf<'task.created'>, place: Place): void {
  const { type: _, ...draft } = event
  const counters = state.counters.get()
  if (!planOf(event.id)) state.counters.set({ ...counters, task: Math.max(counters.task, Number(event.id) + 1) })
  const birth = { createdBy: place.by.name, createdAt: place.at, attempts: 0, ended: [], seq: place.seq }
  putTask(state, event.id, { ...draft, ...birth, status: 'pending' })
}

/** Back to the board, with the attempt and its reason kept. */
function end(state: TeamState, task: Task, how: Pick<Attempt, 'end' | 'reason'>, place: Place): void {
  if (task.status === 'pending') return
  const { owner, claimedAt } = task
  const reason = how.reason ?? (task.status === 'failed' ? task.reason : undefined)
  const attempt: Attempt = {
    owner,
    claimedAt,
    endedAt: place.at,
    end: how.end,
    ...(reason !== undefined && { reason }),
  }
  putTask(state, task.id, { ...unclaimed(task), status: 'pending', ended: [...task.ended, attempt], seq: place.seq })
  if (task.status === 'in_progress') showActivity(state, owner, 'idle')
}

/** What every state of a task has, without what only one state has. */
function unclaimed(task: Task): Omit<Extract<Task, { status: 'pending' }>, 'status'> {
  const { id, subject, description, activeForm, role, assignee, priority, blockedBy, files } = task
  const { createdBy, createdAt, attempts, ended, seq } = task
  return {
    id,
    subject,
    description,
    activeForm,
    role,
    assignee,
    priority,
    blockedBy,
    files,
    createdBy,
    createdAt,
    attempts,
    ended,
    seq,
  }
}

function detach(state: TeamState, id: string, place: Place): void {
  for (const waiting of state.index.dependents.get(id) ?? []) {
    const task = state.tasks.get(waiting)
    if (task)
      putTask(state, waiting, { ...task, blockedBy: task.blockedBy.filter((other) => other !== id), seq: place.seq })
  }
}

/** Agents report what they do; for scripts and people holding a task is all we know of it. */
function showActivity(state: TeamState, name: string, status: 'working' | 'idle'): void {
  const member = memberNamed(state, name)
  if (member && member.kind !== 'agent' && (member.status === 'working' || member.status === 'idle')) {
    state.members.set(nameKey(name), { ...member, status })
  }
}
