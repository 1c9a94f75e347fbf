import { dirname } from 'node:path'
import { cycleAmong, cycleInWords } from '../team/board/dependencies.ts'
import type { Plan, Problem } from './plan.ts'

/**
 * What is wrong between tasks and between plans: unknown plans, plans that are given twice, cycles, waves. `siblings` are
 * plans of the same folders that were not asked about: they may be depended on.
 */
export function checkPlans(plans: readonly Plan[], siblings: readonly Plan[] = []): Problem[] {
  const known = new Map([...siblings, ...plans].map((plan) => [plan.id, plan]))
  return [
    ...plansGivenTwice(plans),
    ...plans.flatMap(taskCycle),
    ...plans.flatMap((plan) => planDependencies(plan, known)),
    ...planCycle(plans, known),
  ]
}

function plansGivenTwice(plans: readonly Plan[]): Problem[] {
  const first = new Map<string, string>()
  return plans.flatMap(({ id, path }) => {
    const other = first.get(id)
    if (other === undefined) first.set(id, path)
    return other === undefined || other === path
      ? []
      : [
          headerProblem(
            path,
            `plan ${id} is also in ${other}`,
            'Give one of them another number in "n" and in its name.',
          ),
        ]
  })
}

function taskCycle({ path, tasks }: Plan): Problem[] {
  const waitsFor = new Map(tasks.map(({ id, td }) => [id, td]))
  const cycle = cycleAmong({ waitsFor: (id) => waitsFor.get(id) ?? [] }, [...waitsFor.keys()])
  if (!cycle) return []
  const line = tasks.find(({ id }) => id === cycle[0])?.line ?? 1
  const problem = `tasks wait for each other in a circle: ${cycleInWords(cycle)}`
  return [{ file: path, line, problem, fix: 'Remove one of these entries from "td".' }]
}

function planDependencies({ id, path, header }: Plan, known: ReadonlyMap<string, Plan>): Problem[] {
  return header.d.flatMap((needed) => {
    if (needed === id) return [headerProblem(path, `plan ${id} waits for itself`, `Remove "${id}" from "d".`)]
    const other = known.get(needed)
    if (!other) {
      const fix = `Put ${needed}.plan.jsonl into the same folder, name its file too, or remove it from "d"; a plan of another phase belongs into "xd".`
      return [headerProblem(path, `"d" names plan ${needed}, which is not there`, fix)]
    }
    if (dirname(other.path) !== dirname(path) || other.header.w < header.w) return []
    const problem = `plan ${needed} is in wave ${other.header.w}, and this plan, which waits for it, in wave ${header.w}`
    return [headerProblem(path, problem, `Write "w":${other.header.w + 1} here, or a lower wave in ${needed}.`)]
  })
}

function planCycle(plans: readonly Plan[], known: ReadonlyMap<string, Plan>): Problem[] {
  // Waiting for itself is reported with the plan.
  const waitsFor = (id: string) => known.get(id)?.header.d.filter((other) => other !== id) ?? []
  const cycle = cycleAmong(
    { waitsFor },
    plans.map(({ id }) => id),
  )
  const path = cycle && known.get(cycle[0]!)?.path
  if (path === undefined) return []
  return [
    headerProblem(
      path,
      `plans wait for each other in a circle: ${cycleInWords(cycle!)}`,
      'Remove one of these entries from "d".',
    ),
  ]
}

function headerProblem(file: string, problem: string, fix: string): Problem {
  return { file, line: 1, problem, fix }
}
