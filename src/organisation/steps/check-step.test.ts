import { describe, expect, it } from 'vitest'
import type { StepStatus } from '../../team/phases/phase.ts'
import { checkEntry, checkExit, nextStep, type StepFacts, type StepRule } from './check-step.ts'

const rule = (step: number, name: string, entry: string[], exit: string[], skippable = false): StepRule => ({
  ...{ step, name, entry, exit, skippable },
})
const STEPS = [
  rule(1, 'critique', [], ['critique.jsonl'], true),
  rule(2, 'architecture', ['critique.jsonl'], ['architecture.toon'], true),
  rule(3, 'planning', ['architecture.toon'], ['*.plan.jsonl']),
  rule(4, 'design_review', ['*.plan.jsonl'], ['*.plan.jsonl']),
]
const facts = (statuses: Record<number, StepStatus>, there: string[]): StepFacts => ({
  statusOf: (step) => statuses[step],
  problemOf: (artefact) => (there.includes(artefact) ? undefined : 'is missing'),
})

describe('the entry of a step', () => {
  it('passes when earlier steps are over and its artefacts are there', () => {
    const done = facts({ 1: 'completed', 2: 'completed' }, ['architecture.toon'])
    expect(checkEntry(STEPS, STEPS[2]!, done)).toEqual({ gate: 'pass', step: 'planning', missing: [] })
  }) // C74, C75

  it('names every open step and every missing artefact', () => {
    expect(checkEntry(STEPS, STEPS[2]!, facts({ 1: 'failed' }, []))).toEqual({
      gate: 'fail',
      step: 'planning',
      missing: ['step 1 (critique) is failed', 'step 2 (architecture) is not started', 'architecture.toon: is missing'],
    })
  }) // C75

  it('does not wait for an artefact of a skipped step, and lets no mandatory step be skipped', () => {
    const skipped = facts({ 1: 'skipped', 2: 'skipped' }, [])
    expect(checkEntry(STEPS, STEPS[2]!, skipped).gate).toBe('pass')
    const wrong = facts({ 1: 'skipped', 2: 'skipped', 3: 'skipped' }, ['*.plan.jsonl'])
    expect(checkEntry(STEPS, STEPS[3]!, wrong).missing).toEqual(['step 3 (planning) was skipped and must not be'])
  }) // C74
})

describe('the exit of a step', () => {
  it('needs a start and its artefacts', () => {
    expect(checkExit(STEPS[2]!, facts({ 3: 'started' }, ['*.plan.jsonl'])).gate).toBe('pass')
    expect(checkExit(STEPS[2]!, facts({}, [])).missing).toEqual([
      'step 3 (planning) is not started',
      '*.plan.jsonl: is missing',
    ])
  }) // C75
})

it('continues a phase with the first step that is not over', () => {
  const { statusOf } = facts({ 1: 'skipped', 2: 'completed', 3: 'failed' }, [])
  expect(nextStep(STEPS, statusOf)?.name).toBe('planning')
  expect(nextStep(STEPS.slice(0, 2), statusOf)).toBeUndefined()
}) // C75
