import { dirname } from 'node:path'
import type { LoadedPlan } from '../team/plans/plan.ts'
import { findCrossPhase, isComplete, unmetCrossPhase } from './cross-phase.ts'
import type { Plan, Problem } from './plan.ts'

export interface PlanToLoad {
  readonly plan: Plan
  /** Plans with tasks that must be completed first; those without tasks pass on what they wait for. */
  readonly waitsFor: readonly string[]
}

/** A plan that was loaded earlier: what the journal says about it counts, not what a file says. */
export type PlanOnBoard = Pick<LoadedPlan, 'tasks' | 'summary'>

/** The plans in an order in which each finds the plans it waits for on the board, and why some cannot be loaded. */
export function loadOrder(
  plans: readonly Plan[],
  workspace: string,
  onBoard: (id: string) => PlanOnBoard | undefined,
): { order: readonly PlanToLoad[]; problems: readonly Problem[] } {
  const given = new Map(plans.map((plan) => [plan.id, plan]))
  const problems = plans.flatMap((plan) => [...unmetCrossPhase(plan, workspace, onBoard), ...unmetPlans(plan)])
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

  function unmetPlans({ header, path }: Plan): Problem[] {
    return header.d.flatMap((id) => {
      if (given.has(id) || onBoard(id) || isDone(id, path)) return []
      const problem = `"d" names plan ${id}, which is neither loaded nor complete`
      return [{ file: path, line: 1, problem, fix: `Load it too: add ${id}.plan.jsonl to the command.` }]
    })
  }

  /** The plan itself, or what it waits for if it has no tasks, or nothing if it was completed earlier. */
  function openTasksOf(id: string): readonly string[] {
    const plan = given.get(id)
    if (!plan) return (onBoard(id)?.tasks ?? 0) > 0 ? [id] : []
    return plan.tasks.length > 0 ? [id] : (order.find((placed) => placed.plan.id === id)?.waitsFor ?? [])
  }
}

function isDone(id: string, path: string): boolean {
  const { summaryFile } = findCrossPhase(dirname(path), id)
  return summaryFile !== undefined && isComplete(summaryFile)
}
