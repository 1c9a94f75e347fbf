import type { DepartmentFacts, DepartmentStatus } from './department-status.ts'
import { isoTime } from './department-status.ts'

/** `.execution-state.json`, with the keys of the source documents. */
export interface ExecutionState {
  readonly phase: string
  readonly phase_name: string
  readonly status: DepartmentStatus['status']
  readonly started_at: string | null
  /** The name of the step that began last. */
  readonly step: string
  readonly wave: number
  readonly total_waves: number
  readonly plans: readonly { readonly id: string; readonly status: string }[]
  /** Of each department, by the name of the step. */
  readonly steps: Readonly<Record<string, Readonly<Record<string, StepEntry>>>>
}

interface StepEntry {
  readonly status: string
  readonly started_at: string | null
  readonly updated_at: string | null
  readonly artifacts: readonly string[]
  readonly reason?: string
}

export interface PhaseFacts {
  /** The name of the phase's folder: `03-api`. */
  readonly folder: string
  readonly wave: number
  readonly waves: number
  readonly departments: readonly { readonly status: DepartmentStatus; readonly facts: DepartmentFacts }[]
}

export function executionState({ folder, wave, waves, departments }: PhaseFacts): ExecutionState {
  const [, phase = '', name = folder] = /^(\d+)-?(.*)$/s.exec(folder) ?? []
  const statuses = departments.map(({ status }) => status)
  const times = statuses.flatMap(({ started_at }) => started_at ?? []).sort()
  const latest = [...statuses].sort((a, b) => ((a.updated_at ?? '') < (b.updated_at ?? '') ? 1 : -1))[0]
  return {
    phase,
    phase_name: name,
    status: phaseStatus(statuses),
    started_at: times[0] ?? null,
    step: latest?.step ?? '',
    wave,
    total_waves: waves,
    plans: departments.flatMap(({ facts }) =>
      facts.plans.map(({ id, summary }) => ({ id, status: summary?.s ?? 'pending' })),
    ),
    steps: Object.fromEntries(departments.map(({ status, facts }) => [status.dept, stepEntries(facts)])),
  }
}

function phaseStatus(statuses: readonly DepartmentStatus[]): DepartmentStatus['status'] {
  const all = new Set(statuses.map(({ status }) => status))
  if (all.has('running')) return 'running'
  if (all.has('failed')) return 'failed'
  if (all.has('pending')) return all.has('complete') ? 'running' : 'pending'
  return all.size === 0 ? 'pending' : 'complete'
}

function stepEntries({ steps }: DepartmentFacts): Record<string, StepEntry> {
  const ordered = [...steps].sort((a, b) => a.step - b.step)
  return Object.fromEntries(
    ordered.map(({ name, status, startedAt, changedAt, artefacts, reason }) => [
      name,
      {
        status,
        started_at: isoTime(startedAt),
        updated_at: isoTime(changedAt),
        artifacts: artefacts,
        ...(reason !== null && { reason }),
      },
    ]),
  )
}
