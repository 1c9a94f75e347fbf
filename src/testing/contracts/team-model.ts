/**
 * A team written down a second time, as plainly as possible: lists, loops and no indexes. Nothing of it is shared with
 * `team/`, so that a mistake there is not repeated here.
 */
export interface ModelTask {
  id: number
  priority: number
  estimate: number | undefined
  role: string | null
  assignee: string | null
  files: string[]
  blockedBy: number[]
  status: 'pending' | 'in_progress' | 'completed' | 'failed'
  owner: string | null
  createdBy: string
  attempts: number
  lease: number | null
  leaseUntil: number | null
}

export interface Model {
  now: number
  nextId: number
  members: { name: string; role: string; present: boolean }[]
  tasks: ModelTask[]
  mail: { to: string; from: string; text: string }[]
}

export type Step =
  | { do: 'wait'; seconds: number }
  | { do: 'join'; name: string; role: string }
  | { do: 'stop'; name: string }
  | {
      do: 'add'
      priority: number
      estimate: number | undefined
      role: string | null
      assignee: string | null
      files: string[]
      blockedBy: number[]
    }
  | { do: 'claim'; id: number | null; lease: number | null }
  | { do: 'renew'; id: number; lease: number | null }
  | { do: 'release'; id: number; force: boolean }
  | { do: 'complete'; id: number }
  | { do: 'fail'; id: number }
  | { do: 'edges'; id: number; add: number[]; remove: number[] }
  | { do: 'prioritise'; id: number; priority: number }
  | { do: 'estimate'; id: number; estimate: number }
  | { do: 'assign'; id: number; assignee: string | null }
  | { do: 'reopen'; id: number }
  | { do: 'delete'; id: number; detach: boolean }
  | { do: 'send'; to: string; text: string }

export function emptyModel(now: number): Model {
  return { now, nextId: 1, members: [{ name: 'lead', role: 'lead', present: true }], tasks: [], mail: [] }
}

/** Carries out the step, or changes nothing and returns `refused`; `same` when the step changes nothing. */
export function carryOut(model: Model, by: string, step: Step): 'done' | 'same' | 'refused' {
  if (step.do === 'wait') {
    model.now += step.seconds
    return 'done'
  }
  const next = structuredClone(model)
  const acting = by === 'user' || isPresent(next, by)
  // A fact such as a message ends no lease; a decision ends the overdue ones when it is written.
  if (step.do !== 'send') for (const task of next.tasks) if (hasEnded(task, next.now)) putBack(next, task)
  const verdict = acting ? decide(next, by, step) : 'refused'
  if (verdict === 'done') Object.assign(model, next)
  return verdict
}

function decide(model: Model, by: string, step: Exclude<Step, { do: 'wait' }>): 'done' | 'same' | 'refused' {
  const leads = by === 'user' || by === 'lead'
  if (step.do === 'join') return leads || step.name === by ? join(model, step.name, step.role) : 'refused'
  if (step.do === 'stop') return stop(model, by, step.name)
  if (step.do === 'send') return send(model, by, step.to, step.text)
  if (step.do === 'add') {
    if (step.assignee !== null && !isPresent(model, step.assignee)) return 'refused'
    if (step.assignee !== null && !leads && step.assignee !== by) return 'refused'
    if (step.blockedBy.some((id) => !find(model, id))) return 'refused'
    const { do: _, ...draft } = step
    const blockedBy = [...new Set(step.blockedBy)]
    const fresh = { status: 'pending', owner: null, attempts: 0, lease: null, leaseUntil: null } as const
    model.tasks.push({ id: model.nextId++, ...draft, blockedBy, createdBy: by, ...fresh })
    return 'done'
  }
  if (step.do === 'claim') return claim(model, by, step.id, step.lease)
  const task = find(model, step.id)
  if (!task) return 'refused'
  const owns = task.status !== 'pending' && task.owner === by
  if (step.do === 'renew') {
    if (!owns || task.status !== 'in_progress') return 'refused'
    const lease = step.lease ?? task.lease
    if (lease === null) return 'same'
    task.lease = lease
    task.leaseUntil = model.now + lease
    return 'done'
  }
  if (step.do === 'release') {
    if (task.status === 'pending') return 'same'
    if (task.status !== 'in_progress' || (!owns && !(step.force && leads))) return 'refused'
    putBack(model, task)
    return 'done'
  }
  if (step.do === 'complete') {
    if (!owns || task.status === 'failed') return 'refused'
    if (task.status === 'completed') return 'same'
    end(task, 'completed')
    return 'done'
  }
  if (step.do === 'fail') {
    if (task.status === 'pending' || (!owns && !leads)) return 'refused'
    if (task.status === 'failed') return 'same'
    if (task.status === 'completed') return 'refused'
    if (by !== 'lead') model.mail.push({ to: 'lead', from: task.owner ?? '', text: `failed ${task.id}` })
    end(task, 'failed')
    return 'done'
  }
  if (step.do === 'edges') {
    if (step.add.length + step.remove.length === 0) return 'same'
    if (!leads || task.status !== 'pending' || step.add.some((id) => !find(model, id))) return 'refused'
    const edges = [...new Set([...task.blockedBy, ...step.add])].filter((id) => !step.remove.includes(id))
    if (edges.some((id) => reaches(model, id, task.id))) return 'refused'
    if (edges.join() === task.blockedBy.join()) return 'same'
    task.blockedBy = edges
    return 'done'
  }
  if (step.do === 'prioritise') {
    if (task.priority === step.priority) return 'same'
    if (!leads) return 'refused'
    task.priority = step.priority
    return 'done'
  }
  if (step.do === 'estimate') {
    if (task.estimate === step.estimate) return 'same'
    if (!leads) return 'refused'
    task.estimate = step.estimate
    return 'done'
  }
  if (step.do === 'assign') {
    if (task.assignee === step.assignee) return 'same'
    if (!leads) return 'refused'
    if (step.assignee !== null && (task.status !== 'pending' || !isPresent(model, step.assignee))) return 'refused'
    task.assignee = step.assignee
    return 'done'
  }
  if (step.do === 'reopen') {
    if (task.status === 'pending') return 'same'
    if (!leads || task.status === 'in_progress') return 'refused'
    putBack(model, task)
    return 'done'
  }
  if (!leads && !(task.status === 'pending' && task.createdBy === by)) return 'refused'
  if (task.status === 'in_progress') return 'refused'
  const waiting = model.tasks.filter((other) => other.blockedBy.includes(task.id))
  if (!step.detach && waiting.some((other) => other.status !== 'completed')) return 'refused'
  for (const other of waiting) other.blockedBy = other.blockedBy.filter((id) => id !== task.id)
  model.tasks = model.tasks.filter((other) => other.id !== task.id)
  return 'done'
}

function join(model: Model, name: string, role: string): 'done' | 'same' | 'refused' {
  const known = model.members.find((member) => member.name === name)
  if (!known) model.members.push({ name, role, present: true })
  else if (known.present && known.role === role) return 'same'
  else if (known.present && holding(model, name)) return 'refused'
  else Object.assign(known, { role, present: true })
  return 'done'
}

function stop(model: Model, by: string, name: string): 'done' | 'same' | 'refused' {
  const member = model.members.find((other) => other.name === name)
  if (!member || name === 'lead' || (by !== 'user' && by !== 'lead' && by !== name)) return 'refused'
  if (!member.present) return 'same'
  const held = holding(model, name)
  if (held) putBack(model, held)
  member.present = false
  for (const task of model.tasks) if (task.status === 'pending' && task.assignee === name) task.assignee = null
  const unread = model.mail.filter(({ to }) => to === name)
  model.mail = model.mail.filter(({ to }) => to !== name)
  for (const { from, text } of unread) {
    if (!text.startsWith('back ') && (from === 'user' || isPresent(model, from)))
      model.mail.push({ to: from, from: name, text: `back ${text}` })
  }
  return 'done'
}

function send(model: Model, by: string, to: string, text: string): 'done' | 'refused' {
  const everyone = model.members.filter((member) => member.present && member.name !== by).map(({ name }) => name)
  if (to !== 'all' && (to === by || (to !== 'user' && !isPresent(model, to)))) return 'refused'
  for (const name of to === 'all' ? everyone : [to]) model.mail.push({ to: name, from: by, text })
  return 'done'
}

function claim(model: Model, by: string, id: number | null, lease: number | null): 'done' | 'same' | 'refused' {
  const member = model.members.find(({ name }) => name === by)
  const wanted = id === null ? undefined : find(model, id)
  if (!member || (id !== null && !wanted)) return 'refused'
  const held = holding(model, by)
  if (held) return id === null || id === held.id ? 'same' : 'refused'
  const may = (task: ModelTask) =>
    task.status === 'pending' &&
    (task.assignee === null || task.assignee === by) &&
    (task.role === null || task.role === member.role) &&
    task.blockedBy.every((other) => find(model, other)?.status === 'completed') &&
    !model.tasks.some((other) => other.status === 'in_progress' && meet(task.files, other.files))
  if (wanted && !may(wanted)) return 'refused'
  const order = (a: ModelTask, b: ModelTask) =>
    Number(b.assignee === by) - Number(a.assignee === by) ||
    b.priority - a.priority ||
    path(model, b) - path(model, a) ||
    a.id - b.id
  const task = wanted ?? model.tasks.filter(may).sort(order)[0]
  if (!task) return 'same'
  const kept = by === 'lead' ? null : lease
  const leaseUntil = kept === null ? null : model.now + kept
  Object.assign(task, { status: 'in_progress', owner: by, attempts: task.attempts + 1, lease: kept, leaseUntil })
  return 'done'
}

/** How much is to be done from this task to the last that waits for it. */
function path(model: Model, task: ModelTask): number {
  const waiting = model.tasks.filter(({ status, blockedBy }) => status !== 'completed' && blockedBy.includes(task.id))
  return (task.estimate ?? 1) + Math.max(0, ...waiting.map((other) => path(model, other)))
}

function putBack(model: Model, task: ModelTask): void {
  const { assignee } = task
  end(task, 'pending')
  task.owner = null
  if (assignee !== null && !isPresent(model, assignee)) task.assignee = null
}

function end(task: ModelTask, status: 'pending' | 'completed' | 'failed'): void {
  Object.assign(task, { status, lease: null, leaseUntil: null })
}

function hasEnded(task: ModelTask, now: number): boolean {
  return task.status === 'in_progress' && task.leaseUntil !== null && task.leaseUntil <= now
}

function reaches(model: Model, from: number, to: number): boolean {
  return from === to || (find(model, from)?.blockedBy ?? []).some((id) => reaches(model, id, to))
}

/** Compares paths without wildcards: equal, or one lies below the other. */
function meet(a: string[], b: string[]): boolean {
  const below = (x: string, y: string) => x === y || x.startsWith(`${y}/`)
  return a.some((x) => b.some((y) => below(x, y) || below(y, x)))
}

function find(model: Model, id: number): ModelTask | undefined {
  return model.tasks.find((task) => task.id === id)
}

function holding(model: Model, name: string): ModelTask | undefined {
  return model.tasks.find((task) => task.status === 'in_progress' && task.owner === name)
}

function isPresent(model: Model, name: string): boolean {
  return model.members.some((member) => member.name === name && member.present)
}
