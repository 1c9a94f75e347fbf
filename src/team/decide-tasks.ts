import { blockedTasks, claims, overlappingClaim } from './board.ts'
import type { Circumstances, Command } from './command.ts'
import type { Decision } from './decide.ts'
import { decideClaim, decideComplete, decideFail, decideRelease, decideRenew } from './decide-claims.ts'
import { cycleInWords, graphOf } from './dependencies.ts'
import type { EventOf, TeamEvent } from './event.ts'
import { isPresent } from './member.ts'
import { nameKey } from './name.ts'
import { isRefusal, type Refusal, refuse } from './refusal.ts'
import { normalisePattern } from './reservation.ts'
import { isLead, unknownMember } from './rights.ts'
import { normalRole } from './role.ts'
import { memberNamed, type TeamState } from './state.ts'
import { planOf, type Task, TaskDraft, TaskId, taskStatus } from './task.ts'

type Of<T extends Command['type']> = Extract<Command, { type: T }>
type TaskCommand = Exclude<Extract<Command, { type: `task.${string}` }>, { type: 'task.update' }> | Update | Move
type Update = Omit<Of<'task.update'>, 'status' | 'detach'>
/** A change of status asked for by name. */
type Move = { readonly type: 'task.move'; readonly id: string; readonly status: string; readonly detach?: boolean }

export function decideTask(state: TeamState, command: TaskCommand, about: Circumstances): Decision {
  if (command.type === 'task.add') return add(state, command, about)
  if (command.type === 'task.claim' && command.id === undefined)
    return decideClaim(state, undefined, command.lease, about)
  const id = command.id ?? ''
  const task = state.tasks.get(id)
  if (!task) return refuse('unknown_task', `There is no task ${JSON.stringify(id)}. See: deskmates task list`)
  switch (command.type) {
    case 'task.update':
      return update(state, task, command, about)
    case 'task.move':
      return move(state, task, command, about)
    case 'task.claim':
      return decideClaim(state, task, command.lease, about)
    case 'task.renew':
      return decideRenew(task, command.lease, about)
    case 'task.release':
      return decideRelease(task, command, about)
    case 'task.complete':
      return decideComplete(state, task, command, about)
    case 'task.fail':
      return decideFail(state, task, command.reason, about)
    default:
      return command satisfies never
  }
}

/** All or none. `+1` in `blockedBy` is the first task of this batch. */
function add(state: TeamState, { tasks }: Of<'task.add'>, about: Circumstances): Decision {
  if (tasks.length === 0) return refuse('invalid', 'There is no task to add.')
  const created: EventOf<'task.created'>[] = []
  let next = state.counters.get().task
  const ids: string[] = []
  const taken = new Set<string>()
  for (const draft of tasks) {
    const id = draft.id ?? String(next++)
    if (draft.id !== undefined && (!TaskId.safeParse(id).success || !planOf(id))) {
      return refuse(
        'invalid',
        `${JSON.stringify(id)} is not the id of a plan's task (like 03-01/T3); other ids are given by the board.`,
      )
    }
    if (state.tasks.has(id) || taken.has(id)) return refuse('invalid', `Task ${id} already exists.`)
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
    if (unknown !== undefined) return unknownDependency(event.subject, unknown)
  }
  const cycle = graph.newCycle()
  if (cycle) return refuseCycle(cycle)
  return { events: created }
}

function create(
  state: TeamState,
  input: TaskDraft,
  ids: readonly string[],
  place: number,
  about: Circumstances,
): EventOf<'task.created'> | Refusal {
  const parsed = TaskDraft.safeParse(input)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    return refuse(
      'invalid',
      `The task ${JSON.stringify(String(input.subject))} is not valid: ${issue?.path.join('.')}: ${issue?.message}.`,
    )
  }
  const { subject, description, activeForm, role, assignee, priority } = parsed.data
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
    blockedBy,
    files,
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
    const met = task.status === 'in_progress' ? overlappingClaim(claims(state), normal, id) : undefined
    if (met)
      return refuse(
        'files_overlap',
        `${met.pair[0]} overlaps ${met.pair[1]} of task ${met.task.id}, which ${met.task.owner} is working on.`,
      )
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

/** The lead and the user change anything; a task's owner, or whoever created it while it waits, its own words and files. */
function mayChange(task: Task, changes: Record<string, unknown>, { by }: Circumstances): Refusal | undefined {
  if (isLead(by.name)) return undefined
  const owner = task.status === 'in_progress' && nameKey(task.owner) === nameKey(by.name)
  const creator = task.status === 'pending' && nameKey(task.createdBy) === nameKey(by.name)
  const reserved = Object.keys(changes).filter(
    (key) => !['subject', 'description', 'activeForm', 'files'].includes(key),
  )
  if (!owner && !creator) return refuse('not_allowed', `Task ${task.id} is not ${by.name}'s to change. Ask the lead.`)
  if (reserved.length > 0)
    return refuse('not_allowed', `Only the lead or the user changes ${reserved.join(', ')} of a task. Ask the lead.`)
  return undefined
}

function checkChanges(
  state: TeamState,
  task: Task,
  changes: Record<string, unknown>,
  about: Circumstances,
): Refusal | undefined {
  const parsed = TaskDraft.partial().safeParse(changes)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    return refuse(
      'invalid',
      `Task ${task.id} cannot be changed like that: ${issue?.path.join('.')}: ${issue?.message}.`,
    )
  }
  const { assignee } = parsed.data
  if (assignee && task.status !== 'pending')
    return refuse('wrong_state', `Task ${task.id} is ${task.status}; only a pending task can be assigned.`)
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
  if (!isLead(by.name))
    return refuse('not_allowed', `Only the lead or the user changes what task ${task.id} waits for. Ask the lead.`)
  if (task.status !== 'pending')
    return refuse(
      'wrong_state',
      `Task ${task.id} is ${task.status}; its dependencies can change only while it is pending.`,
    )
  const edges = [...new Set([...task.blockedBy, ...add])].filter((dependency) => !remove.includes(dependency))
  const graph = graphOf(state)
  const unknown = add.find((dependency) => !graph.has(dependency))
  if (unknown !== undefined) return unknownDependency(task.subject, unknown)
  graph.put(task.id, edges)
  const cycle = graph.newCycle()
  return cycle ? refuseCycle(cycle) : edges
}

function move(state: TeamState, task: Task, { status: text, detach }: Move, about: Circumstances): Decision {
  const status = taskStatus(text)
  switch (status) {
    case undefined:
      return refuse(
        'invalid',
        `${JSON.stringify(text)} is not a status. Use pending, in_progress, completed, failed or deleted.`,
      )
    case 'pending':
      return reopen(task, about)
    case 'deleted':
      return remove(state, task, detach === true, about)
    case 'in_progress':
      return decideClaim(state, task, undefined, about)
    case 'completed':
      return decideComplete(state, task, {}, about)
    case 'failed':
      return refuse('invalid', `A failed task needs a reason: deskmates task fail ${task.id} --as MEMBER --reason TEXT`)
    default:
      return status satisfies never
  }
}

function reopen(task: Task, { by }: Circumstances): Decision {
  if (task.status === 'pending') return { events: [], note: `Task ${task.id} is already pending.` }
  if (!isLead(by.name)) return refuse('not_allowed', `Only the lead or the user reopens a task, not ${by.name}.`)
  if (task.status === 'in_progress') {
    return refuse(
      'wrong_state',
      `${task.owner} is working on task ${task.id}. Take it back with: deskmates task release ${task.id} --force`,
    )
  }
  return { events: [{ type: 'task.reopened', id: task.id }] }
}

function remove(state: TeamState, task: Task, detach: boolean, { by }: Circumstances): Decision {
  if (!isLead(by.name) && !(task.status === 'pending' && nameKey(task.createdBy) === nameKey(by.name))) {
    return refuse('not_allowed', `Task ${task.id} is not ${by.name}'s to delete. Ask the lead.`)
  }
  if (task.status === 'in_progress') {
    return refuse(
      'wrong_state',
      `${task.owner} is working on task ${task.id}. Release it first: deskmates task release ${task.id} --force`,
    )
  }
  const open = blockedTasks(state, task.id).filter((id) => state.tasks.get(id)?.status !== 'completed')
  if (open.length > 0 && !detach) {
    return refuse(
      'has_dependents',
      `Task ${task.id} is waited for by ${open.join(', ')}. Delete it with --detach to let them go on without it.`,
    )
  }
  const plan = planOf(task.id)
  const waiting = plan === undefined ? [] : blockedTasks(state, plan)
  if (plan && waiting.length > 0 && state.index.plans.get(plan)?.total === 1) {
    return refuse(
      'has_dependents',
      `Task ${task.id} is the last of plan ${plan}, which ${waiting.join(', ')} wait for. Remove ${plan} from their blockedBy first.`,
    )
  }
  return { events: [{ type: 'task.deleted', id: task.id }] }
}

function checkText(subject: string, description: string): Refusal | undefined {
  if (subject.trim() === '') return refuse('invalid', 'A task needs a subject.')
  if (subject.length > 500)
    return refuse('too_large', 'A subject has at most 500 characters; put the rest into the description.')
  if (/[\n\r]/.test(subject)) return refuse('invalid', 'A subject is one line; put the rest into the description.')
  if (description.length > 1_000_000)
    return refuse('too_large', 'A description has at most a million characters; put the rest into a file and name it.')
  return undefined
}

function checkAssignee(state: TeamState, assignee: string | null, { by }: Circumstances): Refusal | undefined {
  if (assignee === null) return undefined
  const member = memberNamed(state, assignee)
  if (!member || !isPresent(member)) return refuse('unknown_member', unknownMember(state, assignee))
  if (!isLead(by.name) && nameKey(by.name) !== nameKey(assignee)) {
    return refuse('not_allowed', `Only the lead or the user assigns tasks to others, not ${by.name}.`)
  }
  return undefined
}

function checkFiles(files: readonly string[]): string[] | Refusal {
  const normal: string[] = []
  for (const file of files) {
    const pattern = normalisePattern(file)
    if (pattern === undefined) {
      return refuse(
        'invalid',
        `${JSON.stringify(file)} is not a path inside the workspace. Give paths relative to its root, like src/api/.`,
      )
    }
    if (!normal.includes(pattern)) normal.push(pattern)
  }
  return normal
}

function unknownDependency(subject: string, id: string): Refusal {
  return refuse(
    'unknown_dependency',
    `${JSON.stringify(subject)} cannot wait for ${JSON.stringify(id)}: there is no such task or plan. See: deskmates task list`,
  )
}

function refuseCycle(cycle: readonly string[]): Refusal {
  return refuse(
    'dependency_cycle',
    `That would close a cycle: ${cycleInWords(cycle)} (each waits for the next). Leave one of these edges out.`,
  )
}
