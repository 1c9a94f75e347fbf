import { incomplete, type KnownPlans, unmetCrossPhase } from './cross-phase.ts'
import type { Plan, Problem } from './plan.ts'

export interface PlanToLoad {
  readonly plan: Plan
  /** Plans with tasks that must be completed first; those without tasks pass on what they wait for. */
  readonly waitsFor: readonly string[]
}

/** The plans in an order in which each finds the plans it waits for on the board, and why some cannot be loaded. */
export function loadOrder(
  plans: readonly Plan[],
  workspace: string,
  known: KnownPlans,
): { order: readonly PlanToLoad[]; problems: readonly Problem[] } {
  const given = new Map(plans.map((plan) => [plan.id, plan]))
  const problems = plans.flatMap((plan) => [...unmetCrossPhase(plan, workspace, known), ...unmetPlans(plan)])
  const order: PlanToLoad[] = []
  const done = new Set<string>()
  // Without a cycle every round places at least one plan.
  for (let left = [...plans]; left.length > 0; ) {
    const next = left.filter(({ header }) => header.d.every((id) => !given.has(id) || done.has(id)))
    if (next.length === 0) break
    for (const plan of next) {
      order.push({ plan, waitsFor: [...new Set(plan.header.d.flatMap((id) => openTasksOf(id)))] })
      done.add(plan.id)
    }
    left = left.filter(({ id }) => !done.has(id))
  }
  return { order, problems }

  function unmetPlans(plan: Plan): Problem[] {
    return plan.header.d.flatMap((id) => {
      if (given.has(id) || known.onBoard(id)) return []
      const open = incomplete(id, plan, known)
      if (!open) return []
      const problem = `"d" names plan ${id}, which is neither loaded nor complete: it ${open.problem}`
      const fix = known.elsewhere(id, plan) ? open.fix : `Load it too: add ${id}.plan.jsonl to the command.`
      return [{ file: plan.path, line: 1, problem, fix }]
    })
  }

  /** The plan itself, or what it waits for if it has no tasks, or nothing if it was completed earlier. */
  function openTasksOf(id: string): readonly string[] {
    const plan = given.get(id)
    if (!plan) return (known.onBoard(id)?.tasks ?? 0) > 0 ? [id] : []
    return plan.tasks.length > 0 ? [id] : (order.find((placed) => placed.plan.id === id)?.waitsFor ?? [])
  }
}
