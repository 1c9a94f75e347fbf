import type { RecordedHandOff } from '../../team/phases/phase.ts'
import type { TeamState } from '../../team/state.ts'
import { decideGate, type GateDecision, type GateFacts, type GateRule } from '../gates/decide-gate.ts'
import type { StepRule } from '../steps/check-step.ts'
import { type DepartmentFacts, type DepartmentStatus, departmentStatus } from '../views/department-status.ts'

export interface DepartmentState {
  readonly name: string
  readonly facts: DepartmentFacts
  readonly status: DepartmentStatus
}

/** What the journals say about one phase. */
export interface PhaseState {
  /** All departments of the phase, in the order of their waves, with or without a journal. */
  readonly departments: readonly DepartmentState[]
  readonly handOffs: readonly RecordedHandOff[]
}

/** What the journal of a department's team says about the phase in this folder. */
export function departmentFacts(state: Pick<TeamState, 'steps' | 'plans'>, folder: string): DepartmentFacts {
  return {
    steps: [...state.steps.values()].filter((step) => step.folder === folder),
    plans: [...state.plans.values()].filter((plan) => plan.folder === folder),
  }
}

export function departmentState(name: string, rules: readonly StepRule[], facts: DepartmentFacts): DepartmentState {
  return { name, facts, status: departmentStatus(name, rules, facts) }
}

/** What the folder of the phase holds. */
export interface PhaseFolder {
  /** Ids of the plan files in it: each must be loaded and complete. */
  readonly plans: readonly string[]
  problemOf(artefact: string): string | undefined
}

export function gateIn(
  name: string,
  rule: GateRule,
  { departments, handOffs }: PhaseState,
  folder: PhaseFolder,
): GateDecision {
  const summaries = new Map(
    departments.flatMap(({ facts }) => facts.plans.map(({ id, summary }) => [id, summary] as const)),
  )
  const plans = [...new Set([...folder.plans, ...summaries.keys()])].sort()
  const facts: GateFacts = {
    active: departments.map((department) => department.name),
    statusOf: (wanted) => departments.find((department) => department.name === wanted)?.status.status,
    handOffs,
    problemOf: (artefact) => folder.problemOf(artefact),
    plans: plans.map((id) => ({ id, isComplete: summaries.get(id)?.s === 'complete' })),
  }
  return decideGate(name, rule, facts)
}
