import type { PhaseStep } from '../../team/phases/phase.ts'
import type { LoadedPlan } from '../../team/plans/plan.ts'
import { lastResult } from '../../team/plans/reported-result.ts'
import type { TeamState } from '../../team/state.ts'

/** The fields of `department_result`, with the keys of the source documents. */
export interface DepartmentResult {
  readonly department: string
  /** Two digits. */
  readonly phase: string
  readonly result: 'PASS' | 'PARTIAL' | 'FAIL'
  readonly plans_completed: number
  readonly plans_total: number
  readonly qa_result: string
  readonly security_result: string
  /** How many plans had tests that failed before the implementation and pass after it. */
  readonly tdd_coverage: string
  readonly problem?: string
}

export interface EndedDepartment {
  readonly name: string
  /** Of the phase, relative to the workspace. */
  readonly folder: string
  /** Why it stopped before its last step. */
  readonly problem: string | undefined
}

/** Which roles do the steps, and which send the results of checks. */
export interface CheckingRoles {
  readonly steps: readonly { readonly step: number; readonly roles: readonly string[] }[]
  readonly handoffs: ReadonlyMap<string, { readonly from: readonly string[] }>
}

/** How a department ended, from the journal of its team. */
export function departmentResult(
  organisation: CheckingRoles,
  state: Pick<TeamState, 'plans' | 'steps' | 'results'>,
  { name, folder, problem }: EndedDepartment,
): DepartmentResult {
  const plans = [...state.plans.values()].filter((plan) => plan.folder === folder)
  const steps = [...state.steps.values()].filter((step) => step.folder === folder)
  const done = plans.filter(({ summary }) => summary?.s === 'complete').length
  const check = (...kinds: string[]) => checkResult(organisation, { steps, results: state.results }, kinds)
  return {
    department: name,
    phase: /(?:^|\/)(\d\d)[^/]*$/.exec(folder)?.[1] ?? plans[0]?.id.slice(0, 2) ?? '',
    result: problem === undefined ? 'PASS' : done > 0 ? 'PARTIAL' : 'FAIL',
    plans_completed: done,
    plans_total: plans.length,
    qa_result: check('qa_result', 'qa_code_result'),
    security_result: check('security_audit'),
    tdd_coverage: coverage(plans),
    ...(problem !== undefined && { problem }),
  }
}

const WORST_FIRST = ['FAIL', 'PARTIAL', 'WARN', 'PASS']

/** What the step of these checks came to: the worst that was reported in it, else how the step ended. */
function checkResult(
  { steps: rules, handoffs }: CheckingRoles,
  { steps, results }: { readonly steps: readonly PhaseStep[]; readonly results: TeamState['results'] },
  kinds: readonly string[],
): string {
  const roles = kinds.flatMap((kind) => handoffs.get(kind)?.from ?? [])
  const rule = rules.find((step) => step.roles.some((role) => roles.includes(role)))
  const step = steps.find((one) => one.step === rule?.step)
  if (!step || step.status === 'skipped') return 'skipped'
  if (step.status === 'failed') return 'FAIL'
  const reported = kinds.flatMap((kind) => lastResult(results.values(), { kind, plan: null }) ?? [])
  const said = reported.filter(({ at }) => at >= step.startedAt).map(({ result }) => result)
  return WORST_FIRST.find((result) => said.includes(result)) ?? (step.status === 'completed' ? 'PASS' : 'PARTIAL')
}

function coverage(plans: readonly LoadedPlan[]): string {
  const tested = plans.filter(({ summary }) => summary?.tst === 'red_green').length
  return `${tested} of ${plans.length} plans red_green`
}
