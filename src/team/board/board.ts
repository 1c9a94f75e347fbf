import { nameKey } from '../name.ts'
import { readyList, type TeamState } from '../state.ts'
import { type ClaimedTask, compareIds, compareReady, planOf, type Task, type TaskId } from '../task.ts'
import { knownPath, settlePaths, startPath, unsettlePath } from './remaining-path.ts'
import { firstOverlap } from './reservation.ts'

/** Puts a task on the board (or takes it off) and keeps everything that is worked out from it true. */
export function putTask(state: TeamState, id: TaskId, next: Task | undefined): void {
  const { index, tasks } = state
  const before = tasks.get(id)
  if (before) unlist(state, before)
  if (next) tasks.set(id, next)
  else tasks.delete(id)

  if (before?.status === 'in_progress') index.holding.delete(nameKey(before.owner))
  if (next?.status === 'in_progress') index.holding.set(nameKey(next.owner), id)
  countOwners(state, before, next)
  relink(state, id, before?.blockedBy ?? [], next?.blockedBy ?? [])
  countInPlan(state, id, before, next)
  if (!before && next) startPath(state, next)
  else if (changesPath(before, next)) unsettlePath(state, id)
  if (next) list(state, next)
  if ((before?.status === 'completed') !== (next?.status === 'completed')) relistDependents(state, id)
}

/** Are all of its dependencies completed? One that does not exist counts as open. */
export function isUnblocked(state: TeamState, task: Pick<Task, 'blockedBy'>): boolean {
  return task.blockedBy.every((dependency) => isMet(state, dependency))
}

export function openDependencies(state: TeamState, task: Pick<Task, 'blockedBy'>): readonly string[] {
  return task.blockedBy.filter((dependency) => !isMet(state, dependency))
}

/** Those that stay open until the failed dependency is reopened or deleted; of a plan one failed task is enough. */
export function failedDependencies(state: TeamState, task: Pick<Task, 'blockedBy'>): readonly string[] {
  return task.blockedBy.filter(
    (dependency) =>
      state.tasks.get(dependency)?.status === 'failed' || (state.index.plans.get(dependency)?.failed ?? 0) > 0,
  )
}

/** Its dependencies with all tasks of each plan in place of the plan. For showing one task: a plan may have many. */
export function blockingTasks({ index }: TeamState, { blockedBy }: Pick<Task, 'blockedBy'>): TaskId[] {
  return blockedBy.flatMap((dependency) => {
    const tasks = index.planTasks.of(dependency)
    return tasks.size > 0 ? [...tasks].sort(compareIds) : [dependency]
  })
}

function isMet(state: TeamState, dependency: string): boolean {
  const task = state.tasks.get(dependency)
  if (task) return task.status === 'completed'
  const plan = state.index.plans.get(dependency)
  return plan !== undefined && plan.total > 0 && plan.completed === plan.total
}

/** The live claims: at most one per member. */
export function claims(state: TeamState): ClaimedTask[] {
  const live: ClaimedTask[] = []
  for (const id of state.index.holding.values()) {
    const task = state.tasks.get(id)
    if (task?.status === 'in_progress') live.push(task)
  }
  return live
}

/** A claim whose reserved files overlap others; `pair` are the two patterns, the claimed one second. */
export interface Overlap {
  readonly task: ClaimedTask
  readonly pair: readonly [string, string]
}

export function overlappingClaim(
  live: readonly ClaimedTask[],
  files: readonly string[],
  exceptFor?: TaskId,
): Overlap | undefined {
  if (files.length === 0) return undefined
  for (const task of live) {
    const pair = task.id === exceptFor ? undefined : firstOverlap(files, task.files)
    if (pair) return { task, pair }
  }
  return undefined
}

export function blockedTasks(state: TeamState, id: TaskId): readonly TaskId[] {
  const waiting = [...state.index.dependents.of(id)]
  return waiting.length < 2 ? waiting : waiting.sort(compareIds)
}

export function allTasks(state: TeamState): Task[] {
  return [...state.tasks.values()].sort((a, b) => compareIds(a.id, b.id))
}

/** Ready tasks in the order they are claimed, for all members. */
export function readyTasks(state: TeamState): Task[] {
  settlePaths(state)
  const lists = [...state.index.ready.values()].flatMap((byRole) => [...byRole.values()])
  const ready = lists.flatMap((list) => [...list.values()])
  return ready.sort(compareReady).map(({ task }) => task)
}

function list(state: TeamState, task: Task): void {
  if (task.status !== 'pending' || !isUnblocked(state, task)) return
  readyList(state, task).add({ task, path: knownPath(state, task.id) })
}

function unlist(state: TeamState, task: Task): void {
  if (task.status === 'pending') readyList(state, task).remove({ task, path: knownPath(state, task.id) })
}

function relistDependents(state: TeamState, id: TaskId): void {
  const plan = planOf(id)
  const { dependents } = state.index
  for (const waiting of [...dependents.of(id), ...(plan ? dependents.of(plan) : [])]) {
    const task = state.tasks.get(waiting)
    if (!task) continue
    unlist(state, task)
    list(state, task)
  }
}

function relink(state: TeamState, id: TaskId, before: readonly string[], after: readonly string[]): void {
  if (before === after) return
  const { dependents } = state.index
  const kept = new Set(after)
  for (const gone of before) {
    if (kept.has(gone)) continue
    dependents.remove(gone, id)
    unsettlePath(state, gone)
  }
  for (const dependency of after) dependents.add(dependency, id)
}

function countOwners({ index: { owned } }: TeamState, before: Task | undefined, next: Task | undefined): void {
  if (before && next && before.ended === next.ended && ownerOf(before) === ownerOf(next)) return
  const [were, are] = [ownersOf(before), ownersOf(next)]
  for (const name of are) if (!were.has(name)) owned.set(name, (owned.get(name) ?? 0) + 1)
  for (const name of were) if (!are.has(name)) owned.set(name, (owned.get(name) ?? 0) - 1)
}

function ownerOf(task: Task): string | undefined {
  return task.status === 'pending' ? undefined : task.owner
}

function ownersOf(task: Task | undefined): ReadonlySet<string> {
  const owners = new Set(task?.ended.map(({ owner }) => nameKey(owner)))
  const owner = task && ownerOf(task)
  return owner === undefined ? owners : owners.add(nameKey(owner))
}

function changesPath(before: Task | undefined, next: Task | undefined): boolean {
  if (!before || !next || before.blockedBy !== next.blockedBy || before.estimate !== next.estimate) return true
  return (before.status === 'completed') !== (next.status === 'completed')
}

function countInPlan(state: TeamState, id: TaskId, before: Task | undefined, after: Task | undefined): void {
  const plan = planOf(id)
  if (!plan) return
  const count = state.index.plans.get(plan) ?? { total: 0, completed: 0, failed: 0 }
  const change = (counts: (task: Task) => boolean) =>
    (after && counts(after) ? 1 : 0) - (before && counts(before) ? 1 : 0)
  state.index.plans.set(plan, {
    total: count.total + change(() => true),
    completed: count.completed + change(({ status }) => status === 'completed'),
    failed: count.failed + change(({ status }) => status === 'failed'),
  })
  if (!before === !after) return
  if (after) state.index.planTasks.add(plan, id)
  else state.index.planTasks.remove(plan, id)
  unsettlePath(state, plan)
  // A new or deleted task of a plan changes what waits for the whole plan.
  relistDependents(state, id)
}
