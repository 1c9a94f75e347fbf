import { PERSON_ROLE } from '../../plan/plan-draft.ts'
import type { RecordedHandOff } from '../../team/phases/phase.ts'
import type { TeamState } from '../../team/state.ts'
import type { Task } from '../../team/task.ts'
import { decideGate, type GateDecision, type GateFacts, type GateRule } from '../gates/decide-gate.ts'
import type { StepRule } from '../steps/check-step.ts'
import { type DepartmentFacts, type DepartmentStatus, departmentStatus, isoTime } from '../views/department-status.ts'
import { isApprovalOf } from './step-tasks.ts'

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
export function departmentFacts(state: Pick<TeamState, 'steps' | 'plans' | 'tasks'>, folder: string): DepartmentFacts {
  const plans = [...state.plans.values()].filter((plan) => plan.folder === folder)
  const isHere = ({ id, subject }: Task) =>
    isApprovalOf(subject, folder) || plans.some((plan) => id.startsWith(`${plan.id}/`))
  return {
    steps: [...state.steps.values()].filter((step) => step.folder === folder),
    plans,
    waiting: [...state.tasks.values()].filter(
      (task) => task.role === PERSON_ROLE && !['completed', 'failed'].includes(task.status) && isHere(task),
    ),
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

/** The last sign-off of an owner that is a model. */
export function signOffIn({ handOffs }: Pick<PhaseState, 'handOffs'>) {
  const last = handOffs.findLast(({ kind }) => kind === 'owner_signoff')
  if (!last) return undefined
  const { decision, departments_approved, integration_qa } = last.content
  return { decision: String(decision), departments_approved, integration_qa, at: isoTime(last.at) }
}

/** What the owner asked the user since it last agreed to ship. */
export function askedOfUser({ handOffs }: Pick<PhaseState, 'handOffs'>) {
  const shipped = handOffs.findLastIndex(({ kind, status }) => kind === 'owner_signoff' && status === 'SHIP')
  return handOffs
    .slice(shipped + 1)
    .filter(({ kind, to, from, content }) => kind === 'escalation' && to === 'user' && from === content.from)
    .map(({ from, content: { issue, evidence, recommendation } }) => ({
      ...{ department: from, from, to: 'user', issue: String(issue), evidence, recommendation },
    }))
}
