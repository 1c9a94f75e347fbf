import type { z } from 'zod'
import type { Circumstances, Command, Decision } from '../command.ts'
import type { EventOf, TeamEvent } from '../event.ts'
import { isOneShot, isPresent } from '../members/member.ts'
import { normalRole } from '../members/role.ts'
import { nameKey } from '../name.ts'
import { isRefusal, type Refusal, refuse } from '../refusal.ts'
import { isLead, leadOnly, unknownMember } from '../rights.ts'
import { memberNamed, type TeamState } from '../state.ts'
import { type ClaimedTask, isTaskId, planOf, readDraft, type Task, TaskDraft, taskStatus } from '../task.ts'
import { blockedTasks, claims, overlappingClaim } from './board.ts'
import { decideClaim, decideComplete, decideFail, decideRelease, decideRenew, refuseOverlap } from './decide-claims.ts'
import { graphOf } from './dependencies.ts'
import { decideHandOver } from './hand-over.ts'
import { normalisePattern } from './reservation.ts'

type Of<T extends Command['type']> = Extract<Command, { type: T }>
type TaskCommand = Exclude<Extract<Command, { type: `task.${string}` }>, { type: 'task.update' }> | Update | Move
type Update = Omit<Of<'task.update'>, 'status' | 'detach'>
/** A change of status asked for by name. */
type Move = { readonly type: 'task.move'; readonly id: string; readonly status: string; readonly detach?: boolean }

export function decideTask(state: TeamState, command: TaskCommand, about: Circumstances): Decision {
  if (command.type === 'task.add') return add(state, command, about)
  if (command.type === 'task.claim' && command.id === undefined)
    return command.isHandOver
      ? decideHandOver(state, command.lease, about)
      : decideClaim(state, undefined, command.lease, about)
  const id = command.id ?? ''
  const task = state.tasks.get(id)
  if (!task) return refuse('unknown_task', { task: id })
  switch (command.type) {
    case 'task.update':
      return update(state, task, command, about)
    case 'task.move':
      return move(state, task, command, about)
    case 'task.claim':
      return decideClaim(state, task, command.lease, about, command.inPlaceOf)
    case 'task.renew':
      return decideRenew(task, command.lease, about)
    case 'task.release':
      return decideRelease(task, command, about)
    case 'task.complete':
      return decideComplete(state, task, command, about)
    case 'task.fail':
      return decideFail(state, task, command, about)
    default:
      return command satisfies never
  }
}

/** All or none. `+1` in `blockedBy` is the first task of this batch. */
function add(state: TeamState, { tasks }: Of<'task.add'>, about: Circumstances): Decision {
  if (tasks.length === 0) return refuse('invalid', { problem: 'no_tasks' })
  const created: EventOf<'task.created'>[] = []
  let next = state.counters.get().task
  const ids: string[] = []
  const taken = new Set<string>()
  for (const draft of tasks) {
    const id = draft.id ?? String(next++)
    if (draft.id !== undefined && (!isTaskId(id) || !planOf(id)))
      return refuse('invalid', { problem: 'plan_task_id', id })
    if (state.tasks.has(id) || taken.has(id)) return refuse('invalid', { problem: 'task_exists', task: id })
    ids.push(id)
    taken.add(id)
  }
  const graph = graphOf(state)
  for (const [i, input] of tasks.entries()) {
    const event = create(state, input, ids, i, about)
    if (isRefusal(event)) return event
    created.push(event)
    graph.put(event.id, event.blockedBy)
  }
  for (const event of created) {
    const unknown = event.blockedBy.find((dependency) => !graph.has(dependency))
    if (unknown !== undefined) return refuse('unknown_dependency', { subject: event.subject, dependency: unknown })
  }
  const cycle = graph.newCycle()
  if (cycle) return refuse('dependency_cycle', { cycle })
  return { events: created }
}

function create(
  state: TeamState,
  input: TaskDraft,
  ids: readonly string[],
  place: number,
  about: Circumstances,
): EventOf<'task.created'> | Refusal {
  const parsed = readDraft(input)
  if (!parsed.success)
    return refuse('invalid', { problem: 'draft', subject: String(input.subject), ...firstIssue(parsed.error) })
  const { subject, description, activeForm, role, assignee, priority, estimate, wakeLead } = parsed.data
  const invalid = checkText(subject, description) ?? checkAssignee(state, assignee ?? null, about)
  if (invalid) return invalid
  const files = checkFiles(parsed.data.files)
  if (isRefusal(files)) return files
  const id = ids[place] ?? ''
  const blockedBy = [...new Set(parsed.data.blockedBy.map((text) => inBatch(text, ids) ?? text))]
  return {
    type: 'task.created',
    id,
    subject: subject.trim(),
    description,
    activeForm: activeForm ?? `Working on: ${subject.trim()}`,
    role: role === undefined || role === null ? null : normalRole(role),
    assignee: assignee ? (memberNamed(state, assignee)?.name ?? assignee) : null,
    priority,
    ...(estimate !== undefined && { estimate }),
    blockedBy,
    files,
    ...(wakeLead && { wakeLead }),
  }
}

function inBatch(text: string, ids: readonly string[]): string | undefined {
  return /^\+[1-9]\d*$/.test(text) ? ids[Number(text.slice(1)) - 1] : undefined
}

function update(state: TeamState, task: Task, command: Update, about: Circumstances): Decision {
  const { type: _, id, addBlockedBy = [], removeBlockedBy = [], files, ...plain } = command
  const changes: Record<string, unknown> = Object.fromEntries(
    Object.entries(plain).filter(([, value]) => value !== undefined),
  )
  if (files !== undefined) {
    const normal = checkFiles(files)
    if (isRefusal(normal)) return normal
    changes.files = normal
    const overlap = task.status === 'in_progress' ? overlappingClaim(claims(state), normal, id) : undefined
    if (overlap) return refuseOverlap(id, overlap)
  }
  if (addBlockedBy.length > 0 || removeBlockedBy.length > 0) {
    const edges = newEdges(state, task, addBlockedBy, removeBlockedBy, about)
    if (isRefusal(edges)) return edges
    changes.blockedBy = edges
  }
  const same = (key: string) => JSON.stringify(changes[key]) === JSON.stringify(task[key as keyof Task])
  for (const key of Object.keys(changes)) if (same(key)) delete changes[key]
  if (Object.keys(changes).length === 0) return { events: [], note: `Task ${id} is already like that.` }
  const refusal = mayChange(task, changes, about) ?? checkChanges(state, task, changes, about)
  if (refusal) return refusal
  return { events: [{ type: 'task.updated', id, ...changes } as TeamEvent] }
}

/** The lead and the user change anything; the owner of a task, or its creator while it is pending, its texts and files. */
function mayChange(task: Task, changes: Record<string, unknown>, { by }: Circumstances): Refusal | undefined {
  if (isLead(by.name)) return undefined
  const owner = task.status === 'in_progress' && nameKey(task.owner) === nameKey(by.name)
  const creator = task.status === 'pending' && nameKey(task.createdBy) === nameKey(by.name)
  const reserved = Object.keys(changes).filter(
    (key) => !['subject', 'description', 'activeForm', 'files'].includes(key),
  )
  if (!owner && !creator)
    return refuse('not_allowed', { problem: 'foreign_task', task: task.id, operation: 'change', by: by.name })
  if (reserved.length > 0) return refuse('not_allowed', { problem: 'lead_only_fields', fields: reserved, by: by.name })
  return undefined
}

function checkChanges(
  state: TeamState,
  task: Task,
  changes: Record<string, unknown>,
  about: Circumstances,
): Refusal | undefined {
  const parsed = TaskDraft.partial().safeParse(changes)
  if (!parsed.success) return refuse('invalid', { problem: 'changes', task: task.id, ...firstIssue(parsed.error) })
  const { assignee } = parsed.data
  if (assignee && task.status !== 'pending') return notPending(task, 'assign')
  if (assignee) changes.assignee = memberNamed(state, assignee)?.name ?? assignee
  if (typeof changes.role === 'string') changes.role = normalRole(changes.role)
  if (typeof changes.subject === 'string') changes.subject = changes.subject.trim()
  return (
    checkText(String(changes.subject ?? task.subject), String(changes.description ?? task.description)) ??
    checkAssignee(state, assignee ?? null, about)
  )
}

function newEdges(
  state: TeamState,
  task: Task,
  add: readonly string[],
  remove: readonly string[],
  { by }: Circumstances,
): readonly string[] | Refusal {
  if (!isLead(by.name)) return leadOnly('change_dependencies', by)
  if (task.status !== 'pending') return notPending(task, 'change_dependencies')
  const edges = [...new Set([...task.blockedBy, ...add])].filter((dependency) => !remove.includes(dependency))
  const graph = graphOf(state)
  const unknown = add.find((dependency) => !graph.has(dependency))
  if (unknown !== undefined) return refuse('unknown_dependency', { subject: task.subject, dependency: unknown })
  graph.put(task.id, edges)
  const cycle = graph.newCycle()
  return cycle ? refuse('dependency_cycle', { cycle }) : edges
}

function move(state: TeamState, task: Task, { status: text, detach }: Move, about: Circumstances): Decision {
  const status = taskStatus(text)
  switch (status) {
    case undefined:
      return refuse('invalid', { problem: 'status', status: text })
    case 'pending':
      return reopen(task, about)
    case 'deleted':
      return remove(state, task, detach === true, about)
    case 'in_progress':
      return decideClaim(state, task, undefined, about)
    case 'completed':
      return decideComplete(state, task, {}, about)
    case 'failed':
      return refuse('invalid', { problem: 'failure_reason', task: task.id })
    default:
      return status satisfies never
  }
}

function reopen(task: Task, { by }: Circumstances): Decision {
  if (task.status === 'pending') return { events: [], note: `Task ${task.id} is already pending.` }
  if (!isLead(by.name)) return leadOnly('reopen', by)
  if (task.status === 'in_progress') return inProgress(task, 'reopen')
  return { events: [{ type: 'task.reopened', id: task.id }] }
}

function remove(state: TeamState, task: Task, detach: boolean, { by }: Circumstances): Decision {
  if (!isLead(by.name) && !(task.status === 'pending' && nameKey(task.createdBy) === nameKey(by.name))) {
    return refuse('not_allowed', { problem: 'foreign_task', task: task.id, operation: 'delete', by: by.name })
  }
  if (task.status === 'in_progress') return inProgress(task, 'delete')
  const open = blockedTasks(state, task.id).filter((id) => state.tasks.get(id)?.status !== 'completed')
  if (open.length > 0 && !detach) return refuse('has_dependents', { problem: 'task', task: task.id, dependents: open })
  const plan = planOf(task.id)
  const waiting = plan === undefined ? [] : blockedTasks(state, plan)
  if (plan && waiting.length > 0 && state.index.plans.get(plan)?.total === 1)
    return refuse('has_dependents', { problem: 'last_of_plan', task: task.id, plan, dependents: waiting })
  return { events: [{ type: 'task.deleted', id: task.id }] }
}

const MAX_SUBJECT_LENGTH = 500
const MAX_DESCRIPTION_LENGTH = 1_000_000

function checkText(subject: string, description: string): Refusal | undefined {
  if (subject.trim() === '') return refuse('invalid', { problem: 'empty_subject' })
  if (subject.length > MAX_SUBJECT_LENGTH) return refuse('too_large', { text: 'subject' })
  if (/[\n\r]/.test(subject)) return refuse('invalid', { problem: 'multiline_subject' })
  if (description.length > MAX_DESCRIPTION_LENGTH) return refuse('too_large', { text: 'description' })
  return undefined
}

function checkAssignee(state: TeamState, assignee: string | null, { by }: Circumstances): Refusal | undefined {
  if (assignee === null) return undefined
  const member = memberNamed(state, assignee)
  if (!member || !isPresent(member) || isOneShot(member)) return unknownMember(state, assignee)
  return isLead(by.name) || nameKey(by.name) === nameKey(assignee) ? undefined : leadOnly('assign', by)
}

function checkFiles(files: readonly string[]): string[] | Refusal {
  const normal: string[] = []
  for (const file of files) {
    const pattern = normalisePattern(file)
    if (pattern === undefined) return refuse('invalid', { problem: 'path', path: file })
    if (!normal.includes(pattern)) normal.push(pattern)
  }
  return normal
}

function notPending({ id, status }: Task, operation: 'assign' | 'change_dependencies'): Refusal {
  return refuse('wrong_state', { problem: 'not_pending', task: id, status, operation })
}

function inProgress({ id, owner }: ClaimedTask, operation: 'reopen' | 'delete'): Refusal {
  return refuse('wrong_state', { problem: 'in_progress', task: id, owner, operation })
}

function firstIssue({ issues: [issue] }: z.ZodError): { field: string; issue: string } {
  return { field: issue?.path.join('.') ?? '', issue: issue?.message ?? '' }
}
