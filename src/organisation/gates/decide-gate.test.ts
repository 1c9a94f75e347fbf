import { describe, expect, it } from 'vitest'
import type { RecordedHandOff } from '../../team/phases/phase.ts'
import { decideGate, type GateFacts, type GateRule } from './decide-gate.ts'

const rule = (more: Partial<GateRule>): GateRule => ({
  ...{ departments: [], handoffs: [], artefacts: [], summaries: false },
  ...more,
})
const facts = (more: Partial<GateFacts> = {}): GateFacts => ({
  active: ['backend', 'frontend'],
  statusOf: () => 'complete',
  handOffs: [],
  problemOf: () => undefined,
  plans: [{ id: '03-01', isComplete: true }],
  ...more,
})
const handOff = (kind: string, status: string) => ({ kind, status }) as RecordedHandOff
const ALL = rule({ departments: 'active', summaries: true })

describe('a gate for all departments', () => {
  it('waits for every department of the phase, also for one that left no trace', () => {
    const oneMissing = facts({ statusOf: (name) => (name === 'backend' ? 'complete' : undefined) })
    expect(decideGate('all-depts-complete', ALL, oneMissing)).toEqual({
      gate: 'all-depts-complete',
      isPassed: false,
      missing: ['department frontend is not started'],
      failed: [],
    })
    expect(decideGate('all-depts-complete', ALL, facts()).isPassed).toBe(true)
  }) // C71, F47

  it('needs a complete summary of every plan, and at least one plan', () => {
    const plans = [
      { id: '03-01', isComplete: true },
      { id: '03-02', isComplete: false },
    ]
    expect(decideGate('g', ALL, facts({ plans })).missing).toEqual(['plan 03-02 is not complete'])
    expect(decideGate('g', ALL, facts({ plans: [] })).missing).toEqual(['no plan of the phase is loaded'])
  }) // C71

  it('names departments that failed, since waiting for them does not help', () => {
    const failing = facts({ statusOf: (name) => (name === 'backend' ? 'failed' : 'running') })
    expect(decideGate('g', ALL, failing)).toMatchObject({ isPassed: false, failed: ['backend'] })
  })
})

describe('a gate for hand-offs', () => {
  it('needs the hand-off with the wanted status', () => {
    const agreed = rule({ handoffs: [{ type: 'api_contract', status: 'agreed' }] })
    const missing = (...handOffs: RecordedHandOff[]) => decideGate('api-contract', agreed, facts({ handOffs })).missing
    expect(missing()).toEqual(['hand-off api_contract is not recorded'])
    expect(missing(handOff('api_contract', 'proposed'))).toEqual(['hand-off api_contract is proposed, not agreed'])
    expect(missing(handOff('api_contract', 'agreed'), handOff('api_contract', 'implemented'))).toEqual([])
  }) // C71

  it('does not pass with drafts, empty tokens or a department at work', () => {
    const ux = rule({ departments: ['uiux'], artefacts: ['design-tokens.jsonl'] })
    const drafts = facts({ statusOf: () => 'running', problemOf: () => 'is empty' })
    expect(decideGate('handoff-ux-complete', ux, drafts).missing).toEqual([
      'department uiux is running',
      'design-tokens.jsonl: is empty',
    ])
  }) // C71, F47
})
