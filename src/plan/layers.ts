import { type Plan, taskIdOf } from './plan.ts'

export interface Group {
  /** From 1. */
  readonly group: number
  readonly tasks: readonly string[]
}

export interface Order {
  /** Tasks of all plans by the earliest step in which they can run, each as `03-01/T3`. */
  readonly layers: readonly (readonly string[])[]
  /** The longest chain of tasks that wait for each other, across plans. */
  readonly criticalPath: readonly string[]
}

/** The layers of one plan by its `td` alone, in the order of the file. Tasks in a cycle are in none. */
export function groupsOf({ tasks }: Pick<Plan, 'tasks'>): Group[] {
  const waitsFor = new Map(tasks.map(({ id, td }) => [id, td]))
  const { layers } = layered(waitsFor)
  return layers.map((ids, i) => ({ group: i + 1, tasks: ids }))
}

/** Layers and critical path of several plans. A plan in `d` is one node that all its tasks lead to, so edges stay few. */
export function orderOf(plans: readonly Plan[]): Order {
  const given = new Set(plans.map(({ id }) => id))
  const waitsFor = new Map<string, readonly string[]>()
  for (const plan of plans) {
    const first = plan.header.d.filter((id) => given.has(id))
    const ids = plan.tasks.map((task) => taskIdOf(plan, task))
    for (const task of plan.tasks)
      waitsFor.set(taskIdOf(plan, task), [...task.td.map((id) => taskIdOf(plan, { id })), ...first])
    // A plan without tasks still waits for what comes before it.
    waitsFor.set(plan.id, [...ids, ...first])
  }
  const { layers, longestBefore, last } = layered(waitsFor, (id) => !given.has(id))
  const criticalPath: string[] = []
  for (let id = last; id !== undefined; id = longestBefore.get(id)) if (!given.has(id)) criticalPath.unshift(id)
  return { layers, criticalPath }
}

/** Kahn's algorithm without recursion. Nodes that do not count add no step; they are in no layer. */
function layered(waitsFor: ReadonlyMap<string, readonly string[]>, counts: (id: string) => boolean = () => true) {
  const open = new Map<string, number>()
  const dependents = new Map<string, string[]>()
  for (const [id, before] of waitsFor) {
    const known = before.filter((other) => waitsFor.has(other))
    open.set(id, known.length)
    for (const other of known) {
      const list = dependents.get(other)
      if (list) list.push(id)
      else dependents.set(other, [id])
    }
  }
  const step = new Map<string, number>()
  const longestBefore = new Map<string, string>()
  const queue = [...waitsFor.keys()].filter((id) => open.get(id) === 0)
  for (const id of queue) step.set(id, counts(id) ? 1 : 0)
  let last: string | undefined
  for (const id of queue) {
    const own = step.get(id)!
    if (last === undefined || own > step.get(last)!) last = id
    for (const next of dependents.get(id) ?? []) {
      const reached = own + (counts(next) ? 1 : 0)
      if (reached > (step.get(next) ?? -1)) {
        step.set(next, reached)
        longestBefore.set(next, id)
      }
      open.set(next, open.get(next)! - 1)
      if (open.get(next) === 0) queue.push(next)
    }
  }
  const layers: string[][] = []
  const done = new Set(queue)
  for (const id of waitsFor.keys()) {
    if (!done.has(id) || !counts(id)) continue
    const layer = step.get(id)! - 1
    for (let i = layers.length; i <= layer; i++) layers.push([])
    layers[layer]!.push(id)
  }
  return { layers, longestBefore, last }
}
