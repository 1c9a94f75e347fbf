import { putTask } from '../board/board.ts'
import type { EventOf, Place, TeamEvent } from '../event.ts'
import { canReceive } from '../mail/mail.ts'
import { withStatus } from '../members/member.ts'
import { nameKey } from '../name.ts'
import { memberNamed, type TeamState } from '../state.ts'
import { type Attempt, planOf, type Task } from '../task.ts'

/** How many ended attempts a task shows; all of them are in the journal. */
const KEPT_ATTEMPTS = 50

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
      const claim = {
        status: 'in_progress' as const,
        owner,
        claimedAt: place.at,
        generation,
        lease,
        leaseUntil: lease === null ? null : place.at + lease,
      }
      putTask(state, id, Object.assign(unclaimed(task, place.seq, task.attempts + 1), claim))
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
      return putBack(state, task, { end: event.end, reason: event.reason }, place)
    case 'task.reopened':
      return putBack(state, task, { end: 'reopened' }, place)
    case 'task.completed': {
      if (task.status !== 'in_progress') return
      const end = {
        status: 'completed' as const,
        owner: task.owner,
        claimedAt: task.claimedAt,
        completedAt: place.at,
        result: event.result,
        commit: event.commit,
      }
      putTask(state, task.id, Object.assign(withoutBaseline(unclaimed(task, place.seq)), end))
      countFailures(state, task.owner, () => undefined)
      return showActivity(state, task.owner, 'idle')
    }
    case 'task.baseline': {
      // A task that continues after an interruption keeps the first one: what has changed since is its own work.
      if (task.status !== 'in_progress' || task.baseline) return
      const { head, dirty } = event
      return putTask(state, task.id, { ...task, baseline: { head, dirty }, seq: place.seq })
    }
    case 'task.failed': {
      if (task.status !== 'in_progress') return
      const end = {
        status: 'failed' as const,
        owner: task.owner,
        claimedAt: task.claimedAt,
        failedAt: place.at,
        reason: event.reason,
        ...(event.commit !== undefined && { commit: event.commit }),
      }
      putTask(state, task.id, Object.assign(unclaimed(task, place.seq), end))
      countFailures(state, task.owner, (before) => before + 1)
      return showActivity(state, task.owner, 'idle')
    }
    case 'task.deleted':
      putTask(state, task.id, undefined)
      return detach(state, task.id, place)
    default:
      event satisfies never
  }
}

function create(state: TeamState, event: EventOf<'task.created'>, place: Place): void {
  const { id, subject, description, activeForm, role, assignee, priority, estimate, blockedBy, files, wakeLead } = event
  const counters = state.counters.get()
  if (!planOf(id)) state.counters.set({ ...counters, task: Math.max(counters.task, Number(id) + 1) })
  putTask(state, id, {
    id,
    subject,
    description,
    activeForm,
    role,
    assignee,
    priority,
    estimate,
    blockedBy,
    files,
    createdBy: place.by.name,
    createdAt: place.at,
    attempts: 0,
    ended: [],
    seq: place.seq,
    status: 'pending',
    ...(wakeLead && { wakeLead }),
  })
}

/** Back to the board, with the attempt and its reason kept. */
function putBack(state: TeamState, task: Task, how: Pick<Attempt, 'end' | 'reason'>, place: Place): void {
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
  const ended = [...task.ended, attempt].slice(-KEPT_ATTEMPTS)
  // Only a pending task loses its assignee when that one stops; this one was claimed or done then.
  const assignee = task.assignee !== null && canReceive(state, task.assignee) ? task.assignee : null
  const pending = { status: 'pending' as const, assignee }
  const kept = unclaimed(task, place.seq, task.attempts, ended)
  putTask(state, task.id, Object.assign(how.end === 'reopened' ? withoutBaseline(kept) : kept, pending))
  if (task.status === 'in_progress') showActivity(state, owner, 'idle')
  // The work on its plan goes on: the summary is written again when that ends.
  const plan = state.plans.get(planOf(task.id) ?? '')
  if (plan?.summary) state.plans.set(plan.id, { ...plan, summary: null })
}

/**
 * What every state of a task has, without what only one state has. Written out and assigned to, because every process
 * folds the claims of all members, and adding members behind a spread is eight times slower.
 */
function unclaimed(task: Task, seq: number, attempts = task.attempts, ended = task.ended): Unclaimed {
  const facts: Unclaimed = {
    id: task.id,
    subject: task.subject,
    description: task.description,
    activeForm: task.activeForm,
    role: task.role,
    assignee: task.assignee,
    priority: task.priority,
    estimate: task.estimate,
    blockedBy: task.blockedBy,
    files: task.files,
    createdBy: task.createdBy,
    createdAt: task.createdAt,
    attempts,
    ended,
    seq,
  }
  if (task.wakeLead) facts.wakeLead = true
  if (task.baseline) facts.baseline = task.baseline
  return facts
}

type Unclaimed = Omit<Extract<Task, { status: 'pending' }>, 'status'>

function withoutBaseline(facts: Unclaimed): Unclaimed {
  if (!facts.baseline) return facts
  const { baseline: _, ...rest } = facts
  return rest
}

function detach(state: TeamState, id: string, place: Place): void {
  for (const waiting of [...state.index.dependents.of(id)]) {
    const task = state.tasks.get(waiting)
    if (task)
      putTask(state, waiting, { ...task, blockedBy: task.blockedBy.filter((other) => other !== id), seq: place.seq })
  }
}

function countFailures(state: TeamState, name: string, count: (before: number) => number | undefined): void {
  const member = memberNamed(state, name)
  if (!member) return
  const { failures: before, ...rest } = member
  const failures = count(before ?? 0)
  if (failures !== before) state.members.set(nameKey(name), failures === undefined ? rest : { ...rest, failures })
}

/** Agents report what they do; for scripts and people holding a task is all we know of it. */
function showActivity(state: TeamState, name: string, status: 'working' | 'idle'): void {
  const member = memberNamed(state, name)
  if (member && member.kind !== 'agent' && (member.status === 'working' || member.status === 'idle')) {
    state.members.set(nameKey(name), withStatus(member, status))
  }
}
