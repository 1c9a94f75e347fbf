import type { Circumstances, Command, Decision } from '../command.ts'
import type { TeamEvent } from '../event.ts'
import type { Member } from '../members/member.ts'
import { isOpen, planGate } from '../members/plan-gate.ts'
import { roleKey } from '../members/role.ts'
import { isTooLong } from '../message.ts'
import { nameKey } from '../name.ts'
import { type Refusal, refuse } from '../refusal.ts'
import { isLead, leadOnly } from '../rights.ts'
import { heldBy, memberNamed, readyForRole, type TeamState } from '../state.ts'
import { planOf, type Task } from '../task.ts'
import { beginning } from '../wording.ts'
import { blockedTasks, claims, failedDependencies, type Overlap, openDependencies, overlappingClaim } from './board.ts'
import { settlePaths } from './remaining-path.ts'

type Of<T extends Command['type']> = Extract<Command, { type: T }>

/**
 * The atomic step by which a ready task gains its only owner. Without a task: the next one this member may take. It may
 * take one that is assigned to the member in whose place it works.
 */
export function decideClaim(
  state: TeamState,
  wanted: Task | undefined,
  lease: number | undefined,
  { by }: Circumstances,
  inPlaceOf?: string,
): Decision {
  const member = memberNamed(state, by.name)
  if (!member) return refuse('not_allowed', { problem: 'not_member', by: by.name })
  if (lease !== undefined && !isLength(lease)) return refuse('invalid', { problem: 'lease' })
  const held = heldBy(state, member.name)
  if (held && (wanted === undefined || wanted.id === held.id))
    return { events: [], note: `${member.name} already holds task ${held.id}.` }
  if (held) return refuse('holds_another', { member: member.name, task: held.id })
  if (member.status === 'stopping') return refuse('wrong_state', { problem: 'member_stopping', member: member.name })
  const refusal = wanted && whyNot(state, wanted, member, inPlaceOf ?? member.name)
  if (refusal) return refusal
  const task = wanted ?? nextFor(state, member)
  if (!task) return { events: [], note: 'Nothing to claim right now.' }
  const { name: owner, generation, kind } = member
  return {
    events: [
      { type: 'task.claimed', id: task.id, owner, generation, lease: kind === 'agent' ? null : (lease ?? null) },
    ],
  }
}

/**
 * The first task this member may take: its own assignments before the open board. Of the tasks that any member may take it
 * leaves the first `leaves` to others, and agents leave those of lost members to what replaces them.
 */
export function nextFor(state: TeamState, member: Member, leaves = 0): Task | undefined {
  settlePaths(state)
  let left = leaves
  let live: ReturnType<typeof claims> | undefined
  for (const assignee of [member.name, null]) {
    // What is listed is pending and unblocked: only files are left to ask about.
    for (const { task } of readyForRole(state, assignee, member.role)) {
      if (member.kind === 'agent' && isLeftToLostOwner(state, task)) continue
      live ??= claims(state)
      if (overlappingClaim(live, task.files)) continue
      if (!isForAnyMember(task) || left-- <= 0) return task
    }
  }
  return undefined
}

function isForRole({ role }: Task, member: Member): boolean {
  return role === null || roleKey(role) === roleKey(member.role)
}

export function isForAnyMember({ role, assignee }: Task): boolean {
  return role === null && assignee === null
}

/** It is for this member too, by assignee and role. */
export function isOpenTo(task: Task, member: Member): boolean {
  const isAssigned = task.assignee === null || nameKey(task.assignee) === nameKey(member.name)
  return isAssigned && isForRole(task, member)
}

/**
 * The owner was lost with this task, and is not back: the task waits for that member or for the one-shot agent in its place.
 * No other agent gets it unasked, since a task that makes its agents fail would lose one after the other. A claim that names
 * the task is allowed. Behind the plan gate there is no one-shot agent, and the task is free.
 */
export function isLeftToLostOwner(state: TeamState, task: Task): boolean {
  const last = task.ended.at(-1)
  if (task.status !== 'pending' || last?.end !== 'owner lost') return false
  const owner = memberNamed(state, last.owner)
  return owner?.status === 'lost' && owner.profile?.requirePlan !== true && isOpenTo(task, owner)
}

/** The tasks that wait for this lost member, or for one-shot agents in its place. */
export function tasksLeftTo(state: TeamState, { name }: Member): Task[] {
  const isIts = (task: Task) => nameKey(task.ended.at(-1)?.owner ?? '') === nameKey(name)
  return [...state.tasks.values()].filter((task) => isLeftToLostOwner(state, task) && isIts(task))
}

/** May this member claim this ready task now? */
export function suits(state: TeamState, task: Task, member: Member): boolean {
  return whyNot(state, task, member, member.name) === undefined
}

function whyNot(state: TeamState, task: Task, member: Member, taker: string): Refusal | undefined {
  const { id, status, assignee, role } = task
  if (status === 'in_progress') return refuse('wrong_state', { problem: 'claimed', task: id, owner: task.owner })
  if (status !== 'pending')
    return refuse('wrong_state', { problem: 'not_pending', task: id, status, operation: 'claim' })
  if (assignee !== null && nameKey(assignee) !== nameKey(taker))
    return refuse('assigned_to_other', { task: id, assignee })
  if (role !== null && !isForRole(task, member))
    return refuse('role_mismatch', { task: id, role, member: member.name, memberRole: member.role })
  const waitsFor = openDependencies(state, task)
  if (waitsFor.length > 0)
    return refuse('not_ready', { task: id, waitsFor, waitsForFailed: failedDependencies(state, task) })
  const overlap = overlappingClaim(claims(state), task.files)
  return overlap ? refuseOverlap(id, overlap) : undefined
}

export function refuseOverlap(task: string, { pair: [path, claimed], task: { id, owner } }: Overlap): Refusal {
  return refuse('files_overlap', { task, path, claimed: { task: id, owner, path: claimed } })
}

export function decideRenew(task: Task, lease: number | undefined, { by }: Circumstances): Decision {
  const foreign = notOwner(task, by.name)
  if (foreign) return foreign
  if (task.status !== 'in_progress') return ended(task)
  const length = lease ?? task.lease
  if (length === null) return { events: [], note: `The claim of task ${task.id} has no lease and needs no renewal.` }
  if (!isLength(length)) return refuse('invalid', { problem: 'lease' })
  return { events: [{ type: 'task.renewed', id: task.id, lease: length }] }
}

export function decideRelease(
  task: Task,
  { force, reason }: Pick<Of<'task.release'>, 'force' | 'reason'>,
  { by }: Circumstances,
): Decision {
  if (task.status === 'pending') return { events: [], note: `Task ${task.id} is not claimed.` }
  if (task.status !== 'in_progress') return ended(task)
  const isForeign = nameKey(task.owner) !== nameKey(by.name)
  if (isForeign && !force) return refuse('not_owner', { task: task.id, owner: task.owner, by: by.name, canForce: true })
  if (isForeign && !isLead(by.name)) return leadOnly('force_release', by)
  const why = reason ?? (isForeign ? `forced by ${by.name}` : undefined)
  return {
    events: [{ type: 'task.released', id: task.id, end: 'released', ...(why !== undefined && { reason: why }) }],
  }
}

export function decideComplete(
  state: TeamState,
  task: Task,
  { result, commit, report }: Pick<Of<'task.complete'>, 'result' | 'commit' | 'report'>,
  { by, id, now }: Circumstances,
): Decision {
  const foreign = task.status === 'pending' ? undefined : notOwner(task, by.name)
  if (foreign) return foreign
  if (task.status === 'completed') return { events: [], note: `Task ${task.id} is already completed.` }
  if (task.status !== 'in_progress') return ended(task)
  const owner = memberNamed(state, task.owner)
  const gate = owner ? planGate(state, owner) : 'not_required'
  if (!isOpen(gate)) return refuse('plan_gate', { gate })
  if (report !== undefined && isTooLong(report)) return refuse('too_large', { text: 'message' })
  const completed: TeamEvent = {
    type: 'task.completed',
    id: task.id,
    result: result ?? null,
    commit: commit ?? null,
  }
  const toLead = {
    id: `${id}.result`,
    type: 'result',
    from: task.owner,
    to: 'lead',
    timestamp: now,
    task: task.id,
  } as const
  // An agent reports what it completes; scripts and people do so only where the lead waits for it.
  const isAwaited = task.wakeLead === true && owner?.kind !== 'agent'
  const content = report ?? (isAwaited ? completedText(task, result) : undefined)
  return {
    events:
      content === undefined ? [completed] : [completed, { type: 'message.sent', message: { ...toLead, content } }],
  }
}

/** The result itself stays on the board. */
const MAX_REPORT_LENGTH = 8192

function completedText({ id, subject }: Task, result: string | undefined): string {
  return `Task ${id} (${subject}) is completed${result ? `: ${beginning(result, MAX_REPORT_LENGTH)}` : '.'}`
}

/** Its dependents stay blocked, and the lead gets a message about them. */
export function decideFail(
  state: TeamState,
  task: Task,
  { reason, commit }: Pick<Of<'task.fail'>, 'reason' | 'commit'>,
  { by, id, now }: Circumstances,
): Decision {
  const foreign = task.status === 'pending' || isLead(by.name) ? undefined : notOwner(task, by.name)
  if (foreign) return foreign
  if (task.status === 'failed') return { events: [], note: `Task ${task.id} has already failed.` }
  if (task.status !== 'in_progress') return ended(task)
  if (reason.trim() === '') return refuse('invalid', { problem: 'failure_reason', task: task.id })
  if (isTooLong(reason)) return refuse('too_large', { text: 'reason' })
  const events: TeamEvent[] = [{ type: 'task.failed', id: task.id, reason, ...(commit !== undefined && { commit }) }]
  if (nameKey(by.name) !== 'lead') {
    const plan = planOf(task.id)
    const waiting = new Set([...blockedTasks(state, task.id), ...(plan ? blockedTasks(state, plan) : [])])
    const blocked = waiting.size === 0 ? '' : ` Still blocked by it: ${[...waiting].join(', ')}.`
    const content = `Task ${task.id} (${task.subject}) failed: ${reason}.${blocked} Reopen it with status pending, or delete it.`
    const message = {
      id: `${id}.failed`,
      type: 'error',
      from: task.owner,
      to: 'lead',
      content,
      timestamp: now,
      task: task.id,
    } as const
    events.push({ type: 'message.sent', message })
  }
  return { events }
}

function isLength(seconds: number): boolean {
  return seconds > 0 && Number.isFinite(seconds)
}

function notOwner(task: Task, name: string): Refusal | undefined {
  if (task.status === 'pending') return refuse('wrong_state', { problem: 'not_claimed', task: task.id, by: name })
  if (nameKey(task.owner) === nameKey(name)) return undefined
  return refuse('not_owner', { task: task.id, owner: task.owner, by: name, canForce: false })
}

function ended(task: Task): Refusal {
  const last = task.ended.at(-1)
  const lastAttempt = last && { owner: last.owner, end: last.reason ?? last.end }
  return refuse('wrong_state', {
    problem: 'not_in_progress',
    task: task.id,
    status: task.status,
    ...(lastAttempt && { lastAttempt }),
  })
}
