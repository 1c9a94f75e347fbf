import { blockedTasks, claims, failedDependencies, openDependencies, overlappingClaim } from './board.ts'
import type { Circumstances, Command } from './command.ts'
import type { Decision } from './decide.ts'
import type { TeamEvent } from './event.ts'
import type { Member } from './member.ts'
import { isTooLong } from './message.ts'
import { nameKey } from './name.ts'
import { gateWords, isOpen, planGate } from './plan-gate.ts'
import { type Refusal, refuse } from './refusal.ts'
import { isLead } from './rights.ts'
import { roleKey } from './role.ts'
import { heldBy, memberNamed, readyList, type TeamState } from './state.ts'
import { planOf, type Task } from './task.ts'
import { waitsForWords } from './view.ts'

type Of<T extends Command['type']> = Extract<Command, { type: T }>

/** The atomic step by which a ready task gains its only owner. Without a task: the next one this member may take. */
export function decideClaim(
  state: TeamState,
  wanted: Task | undefined,
  lease: number | undefined,
  { by }: Circumstances,
): Decision {
  const member = memberNamed(state, by.name)
  if (!member) {
    return refuse(
      'not_allowed',
      `${by.name} holds no tasks. Join first: deskmates team join NAME --role ROLE, then claim with --as NAME`,
    )
  }
  if (lease !== undefined && !isLength(lease)) return refuse('invalid', 'A lease is a positive time, like 10m.')
  const held = heldBy(state, member.name)
  if (held && (wanted === undefined || wanted.id === held.id))
    return { events: [], note: `${member.name} already holds task ${held.id}.` }
  if (held)
    return refuse('holds_another', `${member.name} must finish task ${held.id} first: complete, fail or release it.`)
  if (member.status === 'stopping') return refuse('wrong_state', `${member.name} is stopping and takes no new work.`)
  const refusal = wanted && whyNot(state, wanted, member)
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

/** The first task this member may take: its own assignments before the open board. */
export function nextFor(state: TeamState, member: Member): Task | undefined {
  const live = claims(state)
  for (const assignee of [member.name, null]) {
    // What is listed is pending and unblocked: only role and files are left to ask about.
    for (const task of readyList(state, assignee).values())
      if (isForRole(task, member) && !overlappingClaim(live, task.files)) return task
  }
  return undefined
}

function isForRole({ role }: Task, member: Member): boolean {
  return role === null || roleKey(role) === roleKey(member.role)
}

/** May this member claim this ready task now? */
export function suits(state: TeamState, task: Task, member: Member): boolean {
  return whyNot(state, task, member) === undefined
}

function whyNot(state: TeamState, task: Task, member: Member): Refusal | undefined {
  if (task.status === 'in_progress')
    return refuse('wrong_state', `Task ${task.id} is already claimed by ${task.owner}.`)
  if (task.status !== 'pending')
    return refuse('wrong_state', `Task ${task.id} is ${task.status}. Only a pending task can be claimed.`)
  if (task.assignee !== null && nameKey(task.assignee) !== nameKey(member.name)) {
    return refuse('assigned_to_other', `Task ${task.id} is assigned to ${task.assignee}.`)
  }
  if (!isForRole(task, member)) {
    return refuse('role_mismatch', `Task ${task.id} is for the role ${task.role}; ${member.name} is ${member.role}.`)
  }
  const waitsFor = openDependencies(state, task)
  if (waitsFor.length > 0) {
    const words = waitsForWords({ waitsFor, waitsForFailed: failedDependencies(state, task) })
    return refuse('not_ready', `Task ${task.id} waits for ${words}.`)
  }
  const met = overlappingClaim(claims(state), task.files)
  if (met) {
    return refuse(
      'files_overlap',
      `Task ${task.id} needs ${met.pair[0]}, which overlaps ${met.pair[1]} of task ${met.task.id}, claimed by ${met.task.owner}.`,
    )
  }
  return undefined
}

export function decideRenew(task: Task, lease: number | undefined, { by }: Circumstances): Decision {
  const foreign = notOwner(task, by.name)
  if (foreign) return foreign
  if (task.status !== 'in_progress') return ended(task)
  const length = lease ?? task.lease
  if (length === null) return { events: [], note: `The claim of task ${task.id} has no lease and needs no renewal.` }
  if (!isLength(length)) return refuse('invalid', 'A lease is a positive time, like 10m.')
  return { events: [{ type: 'task.renewed', id: task.id, lease: length }] }
}

export function decideRelease(
  task: Task,
  { force, reason }: Pick<Of<'task.release'>, 'force' | 'reason'>,
  { by }: Circumstances,
): Decision {
  if (task.status === 'pending') return { events: [], note: `Task ${task.id} is not claimed.` }
  if (task.status !== 'in_progress') return ended(task)
  const foreign = notOwner(task, by.name)
  if (foreign && !force)
    return refuse('not_owner', `${foreign.message} The lead or the user can force it with --force.`)
  if (foreign && !isLead(by.name))
    return refuse('not_allowed', `Only the lead or the user takes a claim from ${task.owner}, not ${by.name}.`)
  const why = reason ?? (foreign ? `forced by ${by.name}` : undefined)
  return {
    events: [{ type: 'task.released', id: task.id, end: 'released', ...(why !== undefined && { reason: why }) }],
  }
}

export function decideComplete(
  state: TeamState,
  task: Task,
  { result, commit }: Pick<Of<'task.complete'>, 'result' | 'commit'>,
  { by }: Circumstances,
): Decision {
  const foreign = task.status === 'pending' ? undefined : notOwner(task, by.name)
  if (foreign) return foreign
  if (task.status === 'completed') return { events: [], note: `Task ${task.id} is already completed.` }
  if (task.status !== 'in_progress') return ended(task)
  const owner = memberNamed(state, task.owner)
  const gate = owner ? planGate(state, owner) : 'not_required'
  if (!isOpen(gate)) return refuse('plan_gate', gateWords(gate))
  return { events: [{ type: 'task.completed', id: task.id, result: result ?? null, commit: commit ?? null }] }
}

/** Its dependents stay blocked, shown as such, and the lead is told. */
export function decideFail(state: TeamState, task: Task, reason: string, { by, id, now }: Circumstances): Decision {
  const foreign = task.status === 'pending' || isLead(by.name) ? undefined : notOwner(task, by.name)
  if (foreign) return foreign
  if (task.status === 'failed') return { events: [], note: `Task ${task.id} has already failed.` }
  if (task.status !== 'in_progress') return ended(task)
  if (reason.trim() === '') return refuse('invalid', 'A failure needs a reason: --reason TEXT')
  if (isTooLong(reason)) return refuse('too_large', 'A reason has at most 1 MB. Put the rest into a file and name it.')
  const events: TeamEvent[] = [{ type: 'task.failed', id: task.id, reason }]
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
  if (task.status === 'pending')
    return refuse(
      'wrong_state',
      `Task ${task.id} is not claimed. Claim it first: deskmates task claim ${task.id} --as ${name}`,
    )
  if (nameKey(task.owner) === nameKey(name)) return undefined
  return refuse('not_owner', `Task ${task.id} is owned by ${task.owner}, not ${name}.`)
}

function ended(task: Task): Refusal {
  const last = task.ended.at(-1)
  const past = last ? ` The last attempt, by ${last.owner}, ended: ${last.reason ?? last.end}.` : ''
  return refuse('wrong_state', `Task ${task.id} is ${task.status}, not in progress.${past}`)
}
