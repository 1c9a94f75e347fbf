import { relative } from 'node:path'
import { filesIn } from '../../organisation/artefacts/phase-folder.ts'
import { assignPlans } from '../../organisation/phases/assign-plans.ts'
import type { Plan, Problem } from '../../plan/plan.ts'
import { readPlans } from '../../plan/read-plans.ts'
import type { Phase } from './phase.ts'

/** What steps leave behind that write plans or complete them. */
export const PLAN_FILES = '*.plan.jsonl'

export interface DepartmentPlans {
  readonly plans: readonly Plan[]
  /** What is wrong in its plans, and in files that belong to no other department. */
  readonly problems: readonly Problem[]
}

/** The plans in the folder of the phase that are for this department, with the validation of `plan check`. */
export function plansOf(phase: Phase, department: string): DepartmentPlans {
  const { plans, problems } = plansIn(phase)
  const isForeign = ({ file }: Problem) =>
    [...plans].some(([name, some]) => name !== department && some.some(({ path }) => path === file))
  return { plans: plans.get(department) ?? [], problems: problems.filter((problem) => !isForeign(problem)) }
}

/** The plans of each department of the phase. A folder without any has none: leads write them. */
export function plansIn({ path, organisation, departments }: Phase): {
  readonly plans: ReadonlyMap<string, readonly Plan[]>
  readonly problems: readonly Problem[]
} {
  const isWritten = filesIn(path).some((name) => name.endsWith('.plan.jsonl'))
  const isPlanned = organisation.steps.some(({ exit }) => exit.includes(PLAN_FILES))
  const read = isWritten || !isPlanned ? readPlans([path]) : { plans: [], problems: [] }
  const active = departments.active.map((name) => ({ name, folders: organisation.departments.get(name)!.folders }))
  const assigned = assignPlans(read.plans, active)
  return { plans: assigned.plans, problems: [...read.problems, ...assigned.problems] }
}

/** Told to a lead whose planning left nothing for its department. */
export function noPlan({ path, organisation }: Phase, department: string): Problem {
  const { folders } = organisation.departments.get(department)!
  return {
    file: path,
    line: 1,
    problem: `it holds no plan for ${department}`,
    fix: `Write PP-NN.plan.jsonl with tasks whose "f" is below one of: ${folders.join(', ')}.`,
  }
}

export function problemLine({ root }: Pick<Phase, 'root'>, { file, line, problem, fix }: Problem): string {
  return `${relative(root, file)}:${line}: ${problem}. ${fix}`
}
