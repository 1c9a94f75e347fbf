import { describe, expect, it } from 'vitest'
import type { PhaseStep, StepStatus } from '../../team/phases/phase.ts'
import type { PlanSummary } from '../../team/plans/plan.ts'
import { isCoordinationFile, sentinelFile } from './coordination-files.ts'
import { type DepartmentFacts, departmentStatus } from './department-status.ts'
import { executionState } from './execution-state.ts'
import { handOffDraft, handOffLines } from './hand-offs.ts'

const RULES = [1, 2].map((step) => ({ step, name: `s${step}`, entry: [], exit: [], skippable: false }))
const step = (number: number, status: StepStatus, startedAt: number, changedAt: number, reason: string | null = null) =>
  ({ folder: 'p', step: number, name: `s${number}`, status, artefacts: [], reason, startedAt, changedAt }) as PhaseStep
const plan = (id: string, s?: PlanSummary['s']) => ({ id, summary: s ? ({ s } as PlanSummary) : null })
const of = (steps: PhaseStep[], plans: DepartmentFacts['plans'] = []) =>
  departmentStatus('backend', RULES, { steps, plans })

describe('the status of a department', () => {
  it('keeps the time of its first start and counts complete plans', () => {
    const steps = [step(1, 'completed', 1000, 1060), step(2, 'started', 1070, 1070)]
    expect(of(steps, [plan('03-01', 'complete'), plan('03-02')])).toEqual({
      dept: 'backend',
      status: 'running',
      step: 's2',
      started_at: '1970-01-01T00:16:40.000Z',
      updated_at: '1970-01-01T00:17:50.000Z',
      plans_complete: 1,
      plans_total: 2,
      error: null,
    })
  }) // C70

  it('is complete only when every step is over and every plan is complete', () => {
    const steps = [step(1, 'skipped', 1, 1), step(2, 'completed', 2, 3)]
    expect(of([])).toMatchObject({ status: 'pending', started_at: null })
    expect(of(steps, [plan('03-01', 'complete')]).status).toBe('complete')
    expect(of(steps, [plan('03-01', 'partial')])).toMatchObject({
      status: 'failed',
      error: 'not complete: plan 03-01',
    })
    expect(of([steps[0]!]).status).toBe('running')
    expect(of([step(1, 'failed', 1, 2, 'time-out')])).toMatchObject({ status: 'failed', error: 'time-out' })
  }) // C70, F47
})

describe('the state of a phase', () => {
  const phase = (...parts: DepartmentFacts[]) =>
    executionState({
      ...{ folder: '03-api', wave: 1, waves: 2 },
      departments: parts.map((facts, i) => ({ facts, status: departmentStatus(`d${i}`, RULES, facts) })),
    })
  const done = { steps: [step(1, 'completed', 1, 2), step(2, 'completed', 3, 4)], plans: [plan('03-01', 'complete')] }
  const open = { steps: [step(1, 'started', 1, 1)], plans: [plan('03-02')] }

  it('shows phase, steps and plans, and marks plans with a complete summary', () => {
    expect(phase(done, open)).toMatchObject({
      ...{ phase: '03', phase_name: 'api', status: 'running', wave: 1, total_waves: 2 },
      plans: [
        { id: '03-01', status: 'complete' },
        { id: '03-02', status: 'pending' },
      ],
      steps: { d0: { s1: { status: 'completed' } }, d1: { s1: { status: 'started' } } },
    })
  }) // C75

  it('is running while one department is complete and another one has not begun', () => {
    expect(phase(done, { steps: [], plans: [] }).status).toBe('running')
  })
})

describe('hand-offs', () => {
  const contract = (status: string) =>
    handOffDraft({
      ...{ folder: 'p', kind: 'api_contract', from: 'frontend', to: 'backend' },
      progress: ['proposed', 'agreed', 'implemented'],
      content: {
        status,
        endpoints: [
          { method: 'get', path: '/users' },
          { method: 'GET', path: '/users' },
        ],
      },
    })

  it('give each endpoint of a contract a status that goes forward one step at a time', () => {
    expect(contract('proposed')).toMatchObject({ subjects: ['GET /users'], after: [null] })
    expect(contract('agreed')).toMatchObject({ after: ['proposed'] })
    expect(contract('implemented')).toMatchObject({ after: ['agreed'] })
  }) // C73

  it('are one line each in their file', () => {
    const { after: _, ...handOff } = contract('proposed')
    const text = handOffLines([{ ...handOff, id: 'c1', at: 5 }])
    expect(JSON.parse(text)).toMatchObject({ type: 'api_contract', from: 'frontend', status: 'proposed' })
  }) // C73
})

describe('coordination files', () => {
  it.each(['.dept-status-backend.json', '.handoff-ux-complete', '.phase-orchestration.json', '.dept-status.lock'])(
    'include %s',
    (name) => expect(isCoordinationFile(name)).toBe(true),
  ) // C72

  it.each([
    '03-01.plan.jsonl',
    '03-01.summary.jsonl',
    'api-contracts.jsonl',
    '.execution-state.json',
    'architecture.toon',
    'yarn.lock',
    '.dept-status-../x.json',
  ])('do not include %s', (name) => expect(isCoordinationFile(name)).toBe(false)) // C72

  it('have a sentinel for gates of a hand-off only', () => {
    expect(sentinelFile('handoff-ux-complete')).toBe('.handoff-ux-complete')
    expect(sentinelFile('all-depts-complete')).toBeUndefined()
  })
})
