import type { RecordedHandOff } from '../../team/phases/phase.ts'
import type { DepartmentStatus } from '../views/department-status.ts'

/** What the organisation says must be true before a gate is passed. */
export interface GateRule {
  /** Those that must be complete; `active` for all departments of the phase. */
  readonly departments: 'active' | readonly string[]
  readonly handoffs: readonly { readonly type: string; readonly status?: string | undefined }[]
  /** Files of the phase that must be there, valid and not empty. */
  readonly artefacts: readonly string[]
  /** Every plan of the phase has a complete summary, and there is at least one. */
  readonly summaries: boolean
}

/** What the journals of the departments' teams and the folder of the phase say now. */
export interface GateFacts {
  /** The departments of this phase by the definition, never by the files that happen to be there. */
  readonly active: readonly string[]
  statusOf(department: string): DepartmentStatus['status'] | undefined
  readonly handOffs: readonly RecordedHandOff[]
  /** Why an artefact does not count; undefined where it does. */
  problemOf(artefact: string): string | undefined
  /** Of all departments of the phase. */
  readonly plans: readonly { readonly id: string; readonly isComplete: boolean }[]
}

export interface GateDecision {
  readonly gate: string
  readonly isPassed: boolean
  /** Everything that is missing at once. */
  readonly missing: readonly string[]
  /** Departments that failed: waiting longer does not help. */
  readonly failed: readonly string[]
}

export function decideGate(gate: string, rule: GateRule, facts: GateFacts): GateDecision {
  const expected = rule.departments === 'active' ? facts.active : rule.departments
  const open = expected.filter((department) => facts.statusOf(department) !== 'complete')
  const missing = [
    ...open.map((department) => `department ${department} is ${facts.statusOf(department) ?? 'not started'}`),
    ...rule.handoffs.flatMap((wanted) => missingHandOff(wanted, facts.handOffs)),
    ...rule.artefacts.flatMap((artefact) => {
      const problem = facts.problemOf(artefact)
      return problem === undefined ? [] : [`${artefact}: ${problem}`]
    }),
    ...(rule.summaries ? missingSummaries(facts.plans) : []),
  ]
  const failed = open.filter((department) => facts.statusOf(department) === 'failed')
  return { gate, isPassed: missing.length === 0, missing, failed }
}

function missingHandOff(
  { type, status }: GateRule['handoffs'][number],
  handOffs: readonly RecordedHandOff[],
): string[] {
  const given = handOffs.filter(({ kind }) => kind === type)
  const last = given.at(-1)
  if (given.some((handOff) => status === undefined || handOff.status === status)) return []
  if (!last) return [`hand-off ${type} is not recorded`]
  return [`hand-off ${type} is ${last.status}, not ${status}`]
}

function missingSummaries(plans: GateFacts['plans']): string[] {
  if (plans.length === 0) return ['no plan of the phase is loaded']
  return plans.filter(({ isComplete }) => !isComplete).map(({ id }) => `plan ${id} is not complete`)
}
