import type { TeamState } from '../state.ts'
import { planOf } from '../task.ts'

/** The dependencies of all tasks, with those that are not on the board yet. */
export interface Graph {
  has(id: string): boolean
  waitsFor(id: string): readonly string[]
  put(id: string, waitsFor: readonly string[]): void
  /** A cycle that the edges put here close, as a path that ends where it begins. */
  newCycle(): readonly string[] | undefined
}

export function graphOf(state: TeamState): Graph {
  const added = new Map<string, readonly string[]>()
  const addedPlans = new Map<string, string[]>()
  const graph: Graph = {
    has: (id) =>
      state.tasks.has(id) || added.has(id) || addedPlans.has(id) || (state.index.plans.get(id)?.total ?? 0) > 0,
    waitsFor(id) {
      const task = added.get(id) ?? state.tasks.get(id)?.blockedBy
      if (task) return task
      return [...state.index.planTasks.of(id), ...(addedPlans.get(id) ?? [])]
    },
    put(id, waitsFor) {
      added.set(id, waitsFor)
      const plan = planOf(id)
      if (!plan) return
      const tasks = addedPlans.get(plan)
      if (tasks) tasks.push(id)
      else addedPlans.set(plan, [id])
    },
    newCycle() {
      const ids = [...added.keys()]
      // No task on the board waits for a new one but through its plan: only the new ones are looked at, so that adding
      // to a long chain does not walk along all of it.
      const isClosed = addedPlans.size === 0 && ids.every((id) => !state.tasks.has(id))
      const among = (id: string) => (added.get(id) ?? []).filter((other) => added.has(other))
      return cycleAmong(isClosed ? { waitsFor: among } : graph, ids)
    },
  }
  return graph
}

/** Of a longer cycle only the beginning and the end are named. */
const NAMED = 10

export function cycleInWords(cycle: readonly string[]): string {
  const left = cycle.length - 2 * NAMED
  const ids = left <= 0 ? cycle : [...cycle.slice(0, NAMED), `(${left} more)`, ...cycle.slice(-NAMED)]
  return ids.join(' -> ')
}

/** A cycle that can be reached from `starts`, as a path that ends where it begins. Waiting for oneself is one. */
export function cycleAmong(graph: Pick<Graph, 'waitsFor'>, starts: readonly string[]): readonly string[] | undefined {
  const done = new Set<string>()
  for (const start of starts) {
    const path: { id: string; rest: string[] }[] = []
    const onPath = new Set<string>()
    const enter = (id: string) => {
      path.push({ id, rest: [...graph.waitsFor(id)] })
      onPath.add(id)
    }
    if (!done.has(start)) enter(start)
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const next = top.rest.pop()
      if (next === undefined) {
        path.pop()
        onPath.delete(top.id)
        done.add(top.id)
      } else if (onPath.has(next)) {
        const ids = path.map((step) => step.id)
        return [...ids.slice(ids.indexOf(next)), next]
      } else if (!done.has(next)) enter(next)
    }
  }
  return undefined
}
