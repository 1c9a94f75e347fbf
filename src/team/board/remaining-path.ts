import { readyList, type TeamState } from '../state.ts'
import { planOf, type Task, type TaskId } from '../task.ts'

/** Longer paths count as this long: tasks that far away do not matter for the choice of the next one. */
export const MAX_REMAINING_PATH = 1000

/** From this many unsettled lengths on, and this share of the board, the record that adds tasks settles them. */
const MANY_UNSETTLED = 1000
const UNSETTLED_SHARE = 1 / 64

/**
 * How much has still to be done in sequence, from this task to the last that waits for it: the sum of the estimates on
 * the longest path. A task without an estimate counts 1, a completed one 0.
 */
export function remainingPath(state: TeamState, id: TaskId): number {
  settlePaths(state)
  return knownPath(state, id)
}

/** As computed last. The ready list keeps a task under this length until `settlePaths` finds another one. */
export function knownPath({ index }: TeamState, node: string): number {
  return index.paths.get(node) ?? 0
}

/** To be called for a task with a new state, estimate or dependency, and for what lost a dependent. */
export function unsettlePath({ index }: TeamState, node: string): void {
  index.unsettled.set(node, true)
}

/** A new task that waits for none, and that none waits for, has its own length: there is nothing to settle. */
export function startPath(state: TeamState, task: Task): void {
  const isAlone = task.blockedBy.length === 0 && state.index.dependents.of(task.id).size === 0
  const weight = weightOf(state, task.id)
  if (!isAlone || planOf(task.id) !== undefined || weight === undefined) unsettlePath(state, task.id)
  else state.index.paths.set(task.id, capped(weight))
}

/**
 * To be called when tasks were added. Those of a large addition are settled with it and not by the next claim, which
 * would take longer the more tasks there are. The share keeps the cost of additions linear in all: the board has grown
 * by it each time, although every length of it may change.
 */
export function settleAdditions(state: TeamState): void {
  const { tasks, index } = state
  if (index.unsettled.size >= Math.max(MANY_UNSETTLED, tasks.size * UNSETTLED_SHARE)) settlePaths(state)
}

/**
 * Computes the lengths that may have changed, and moves ready tasks to their new place. A length is passed on only to
 * tasks whose own becomes another by it, so that a change costs as much as it changes: a task more behind one that many
 * wait for costs the same as behind one that nothing waits for. Tasks that came together are computed dependents first,
 * each once. A plan is a node of its own between its tasks and what waits for all of them.
 */
export function settlePaths(state: TeamState): void {
  const { unsettled } = state.index
  if (unsettled.size === 0) return
  let round: Round = { recomputed: new Set(unsettled.keys()), raised: new Map() }
  for (const node of round.recomputed) unsettled.delete(node)
  while (round.recomputed.size + round.raised.size > 0) {
    const next: Round = { recomputed: new Set(), raised: new Map() }
    for (const node of dependentsFirst(state, round)) {
      const before = knownPath(state, node)
      const raised = round.raised.get(node) ?? 0
      const length = round.recomputed.has(node) ? Math.max(lengthOf(state, node), raised) : Math.max(before, raised)
      if (length !== before) setPath(state, node, length)
      for (const dependency of dependenciesOf(state, node)) {
        const weight = weightOf(state, dependency)
        if (weight === undefined) continue
        const now = knownPath(state, dependency)
        const { recomputed, raised } = isIn(round, dependency) ? round : next
        if (capped(weight + length) > now)
          raised.set(dependency, Math.max(raised.get(dependency) ?? 0, capped(weight + length)))
        else if (length < before && capped(weight + before) >= now) recomputed.add(dependency)
      }
    }
    round = next
  }
}

/** Nodes whose length is looked for: among all their dependents, or it is at least this long. */
interface Round {
  readonly recomputed: Set<string>
  readonly raised: Map<string, number>
}

function isIn({ recomputed, raised }: Round, node: string): boolean {
  return recomputed.has(node) || raised.has(node)
}

function setPath(state: TeamState, node: string, length: number): void {
  const { index, tasks } = state
  const task = tasks.get(node)
  const isListed = task && readyList(state, task).remove({ task, path: knownPath(state, node) })
  if (length === 0) index.paths.delete(node)
  else index.paths.set(node, length)
  if (isListed) readyList(state, task).add({ task, path: length })
}

function lengthOf(state: TeamState, node: string): number {
  const weight = weightOf(state, node)
  if (weight === undefined) return 0
  const plan = planOf(node)
  let longest = plan === undefined ? 0 : knownPath(state, plan)
  // Dependents that became longer raise this length themselves, so none of them is longer than the longest was before.
  const before = knownPath(state, node) - Math.min(weight, 1)
  for (const dependent of state.index.dependents.of(node)) {
    if (before > 0 && longest >= before) break
    longest = Math.max(longest, knownPath(state, dependent))
  }
  return capped(weight + longest)
}

/** What a node adds to a path; undefined for one that is on none: a completed task, or one that is not there. */
function weightOf({ tasks, index }: TeamState, node: string): number | undefined {
  const task = tasks.get(node)
  if (task) return task.status === 'completed' ? undefined : (task.estimate ?? 1)
  return index.planTasks.of(node).size > 0 ? 0 : undefined
}

function capped(length: number): number {
  return Math.min(length, MAX_REMAINING_PATH)
}

function dependenciesOf({ tasks, index }: TeamState, node: string): Iterable<string> {
  return tasks.get(node)?.blockedBy ?? index.planTasks.of(node)
}

/** The nodes of a round, each before those of them that it waits for. In a cycle of a damaged journal: in some order. */
function dependentsFirst(state: TeamState, round: Round): Iterable<string> {
  const nodes = new Set([...round.recomputed, ...round.raised.keys()])
  if (nodes.size === 1) return nodes
  const order: string[] = []
  const entered = new Set<string>()
  for (const start of nodes) {
    if (entered.has(start)) continue
    entered.add(start)
    const path = [{ node: start, rest: dependenciesOf(state, start)[Symbol.iterator]() }]
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const next = top.rest.next()
      if (next.done) {
        order.push(top.node)
        path.pop()
      } else if (nodes.has(next.value) && !entered.has(next.value)) {
        entered.add(next.value)
        path.push({ node: next.value, rest: dependenciesOf(state, next.value)[Symbol.iterator]() })
      }
    }
  }
  return order.reverse()
}
