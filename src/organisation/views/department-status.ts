import type { PhaseStep } from '../../team/phases/phase.ts'
import type { LoadedPlan } from '../../team/plans/plan.ts'
import type { Task } from '../../team/task.ts'
import type { StepRule } from '../steps/check-step.ts'

/** `.dept-status-<dept>.json`, with the keys of the source documents. */
export interface DepartmentStatus {
  readonly dept: string
  /** `pending`: nothing was done yet. `complete`: its last step is completed or skipped, and every plan is complete. */
  readonly status: 'pending' | 'running' | 'complete' | 'failed'
  /** The name of the step that began last. */
  readonly step: string
  readonly started_at: string | null
  readonly updated_at: string | null
  readonly plans_complete: number
  readonly plans_total: number
  readonly error: string | null
}

/** What the journal of a department's team says about a phase. */
export interface DepartmentFacts {
  /** Of this phase only. */
  readonly steps: readonly PhaseStep[]
  readonly plans: readonly Pick<LoadedPlan, 'id' | 'summary'>[]
  /** Tasks that wait for a person. */
  readonly waiting?: readonly Pick<Task, 'id' | 'subject'>[]
}

export function departmentStatus(dept: string, rules: readonly StepRule[], facts: DepartmentFacts): DepartmentStatus {
  const byNumber = new Map(facts.steps.map((step) => [step.step, step]))
  const last = facts.steps.reduce<PhaseStep | undefined>(
    (latest, step) => (latest === undefined || step.changedAt >= latest.changedAt ? step : latest),
    undefined,
  )
  const failed = facts.steps.find(({ status }) => status === 'failed')
  const isOver = rules.every(({ step }) => ['completed', 'skipped'].includes(byNumber.get(step)?.status ?? ''))
  const complete = facts.plans.filter(({ summary }) => summary?.s === 'complete').length
  const isComplete = rules.length > 0 && isOver && complete === facts.plans.length
  const error = failed?.reason ?? (isOver && !isComplete ? unfinished(facts) : null)
  return {
    dept,
    status: last === undefined ? 'pending' : isComplete ? 'complete' : error === null ? 'running' : 'failed',
    step: last?.name ?? '',
    started_at: isoTime(facts.steps.map(({ startedAt }) => startedAt).sort((a, b) => a - b)[0]),
    updated_at: isoTime(last?.changedAt),
    plans_complete: complete,
    plans_total: facts.plans.length,
    error,
  }
}

function unfinished({ plans }: DepartmentFacts): string {
  const open = plans.filter(({ summary }) => summary?.s !== 'complete').map(({ id }) => id)
  return `not complete: plan ${open.join(', ')}`
}

/** Seconds since 1970 as ISO 8601. */
export function isoTime(seconds: number | undefined): string | null {
  return seconds === undefined ? null : new Date(seconds * 1000).toISOString()
}
