import type { Member } from '../members/member.ts'
import { nameKey } from '../name.ts'
import { memberNamed, readyForRole, type TeamState } from '../state.ts'
import { type ClaimedTask, planOf, type Task, type TaskId } from '../task.ts'
import { claims, openDependencies, overlappingClaim } from './board.ts'
import { isOpenTo } from './decide-claims.ts'

/** Of all that waits for the work in progress so much is looked at: the answer decides about a short wait only. */
const MAX_EXAMINED_TASKS = 1000

/**
 * Will more tasks that this member may take become ready with what other agents work on now than those agents take
 * themselves? Each of them gets the next one with its completion.
 */
export function isTaskSoonReady(state: TeamState, member: Member): boolean {
  const live = claims(state).filter(({ owner }) => isAgent(state, owner) && nameKey(owner) !== nameKey(member.name))
  const soon = new Set<TaskId>()
  const owners = new Set<string>()
  let left = MAX_EXAMINED_TASKS
  for (const { task, blockers } of waitingTasks(state, live, member)) {
    if (left-- === 0) break
    if (!blockers || !isOpenTo(task, member)) continue
    soon.add(task.id)
    for (const { owner } of blockers) owners.add(nameKey(owner))
    if (soon.size > live.length) return true
  }
  return soon.size > owners.size
}

/** A task with the claims whose end makes it ready; without them where it waits for more than that. */
interface Waiting {
  readonly task: Task
  readonly blockers: readonly ClaimedTask[] | undefined
}

function* waitingTasks(state: TeamState, live: readonly ClaimedTask[], member: Member): Generator<Waiting> {
  // What is listed as ready waits for files, if for anything.
  for (const assignee of [member.name, null]) {
    for (const { task } of readyForRole(state, assignee, member.role)) {
      const overlap = overlappingClaim(live, task.files)
      yield { task, blockers: overlap && [overlap.task] }
    }
  }
  for (const { id } of live) {
    for (const waited of [id, planOf(id)]) {
      for (const dependent of waited === undefined ? [] : state.index.dependents.of(waited)) {
        const task = state.tasks.get(dependent)
        if (task?.status === 'pending') yield { task, blockers: blockersOf(state, task, live) }
      }
    }
  }
}

/** The claims on all that it waits for; undefined where no agent works on some of that. */
function blockersOf(state: TeamState, task: Task, live: readonly ClaimedTask[]): readonly ClaimedTask[] | undefined {
  const blockers: ClaimedTask[] = []
  for (const dependency of openDependencies(state, task)) {
    const own = live.filter(({ id }) => id === dependency || planOf(id) === dependency)
    const plan = state.tasks.has(dependency) ? undefined : state.index.plans.get(dependency)
    if (own.length === 0 || (plan && own.length < plan.total - plan.completed)) return undefined
    blockers.push(...own)
  }
  return blockers
}

function isAgent(state: TeamState, name: string): boolean {
  return memberNamed(state, name)?.kind === 'agent'
}
