import type { TeamState } from './state.ts'
import { planOf } from './task.ts'

/** Who waits for whom, with edges that are not on the board yet. */
export interface Graph {
  has(id: string): boolean
  waitsFor(id: string): readonly string[]
  put(id: string, waitsFor: readonly string[]): void
}

export function graphOf(state: TeamState): Graph {
  const added = new Map<string, readonly string[]>()
  const addedPlans = new Map<string, string[]>()
  return {
    has: (id) =>
      state.tasks.has(id) || added.has(id) || addedPlans.has(id) || (state.index.plans.get(id)?.total ?? 0) > 0,
    waitsFor(id) {
      const task = added.get(id) ?? state.tasks.get(id)?.blockedBy
      if (task) return task
      const standing = state.index.plans.has(id) ? [...state.tasks.keys()].filter((other) => planOf(other) === id) : []
      return [...standing, ...(addedPlans.get(id) ?? [])]
    },
    put(id, waitsFor) {
      added.set(id, waitsFor)
      const plan = planOf(id)
      if (plan) addedPlans.set(plan, [...(addedPlans.get(plan) ?? []), id])
    },
  }
}

/** A cycle that can be reached from `starts`, as a path that ends where it begins. Waiting for oneself is one. */
export function cycleAmong(graph: Graph, starts: readonly string[]): readonly string[] | undefined {
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
