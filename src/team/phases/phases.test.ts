import { describe, expect, it } from 'vitest'
import { teamHarness } from '../../testing/harnesses/team-harness.ts'
import { dumpState, stateFrom } from '../fold/snapshot.ts'
import type { HandOffDraft, StepChange, StepStatus } from './phase.ts'

const change = (step: number, status: StepStatus, more: Partial<StepChange> = {}): StepChange => ({
  ...{ folder: 'phases/03', step, name: 'planning', status, artefacts: [], reason: null },
  ...more,
})
const contract = (status: string, after: HandOffDraft['after'], subjects = ['GET /users']): HandOffDraft => ({
  ...{ folder: 'phases/03', kind: 'api_contract', from: 'frontend', to: 'backend', subjects, status, content: {} },
  after,
})

describe('a step of a phase', () => {
  it('starts, ends once, and keeps the time of its start', () => {
    const team = teamHarness()
    team.ok({ type: 'step.change', change: change(3, 'started') })
    team.now = 1060
    team.ok({ type: 'step.change', change: change(3, 'completed', { artefacts: ['phases/03/03-01.plan.jsonl'] }) })
    expect([...team.state.steps.values()]).toMatchObject([{ status: 'completed', startedAt: 1000, changedAt: 1060 }])
    expect(team.ok({ type: 'step.change', change: change(3, 'completed') }).note).toBe('Step 3 is already completed.')
    expect(team.no({ type: 'step.change', change: change(3, 'started') })).toMatchObject({
      code: 'wrong_state',
      details: { problem: 'step', current: 'completed' },
    })
    team.ok({ type: 'step.change', change: change(3, 'started'), force: true })
  }) // C74, C75

  it('cannot be completed without a start, and can be started again after a failure', () => {
    const team = teamHarness()
    team.no({ type: 'step.change', change: change(6, 'completed') })
    team.ok({ type: 'step.change', change: change(6, 'started') })
    team.ok({ type: 'step.change', change: change(6, 'failed', { reason: 'time-out' }) })
    team.ok({ type: 'step.change', change: change(6, 'started') })
    team.ok({ type: 'step.change', change: change(6, 'started', { folder: 'phases/04' }) })
    expect(team.state.steps.size).toBe(2)
  })

  it('mails an escalation in the record of its failure, once, and to a member only', () => {
    const team = teamHarness()
    team.join('ada', 'architect')
    const escalation = { to: 'ada', content: '{"issue":"03-01/T1 failed"}' }
    const failed = { type: 'step.change', change: change(6, 'failed', { reason: 'tier 3' }), escalation } as const
    team.ok({ type: 'step.change', change: change(6, 'started') })
    team.ok(failed)
    expect(team.ok(failed).note, 'repeated after a crash').toBe('Step 6 is already failed.')
    expect(team.inbox('ada')).toMatchObject([{ type: 'escalation', from: 'lead', content: escalation.content }])
    expect(team.state.escalations.size).toBe(1)
    team.ok({ type: 'member.stop', name: 'ada', reason: 'over' })
    team.ok({ type: 'step.change', change: change(6, 'started') })
    team.ok(failed)
    expect(team.state.escalations.size).toBe(1)
  }) // C60

  it('is changed by the lead and the user only', () => {
    const team = teamHarness()
    team.join('ada')
    expect(team.no({ type: 'step.change', change: change(3, 'started') }, 'ada')).toMatchObject({ code: 'not_allowed' })
    expect(team.no({ type: 'handoff.record', handOff: contract('proposed', [null]) }, 'ada').code).toBe('not_allowed')
  })
})

describe('a hand-off between departments', () => {
  it('is recorded only while each of its subjects has one of the wanted statuses', () => {
    const team = teamHarness()
    expect(team.no({ type: 'handoff.record', handOff: contract('agreed', ['proposed']) })).toMatchObject({
      details: { problem: 'handoff', subject: 'GET /users', current: null },
    })
    team.ok({ type: 'handoff.record', handOff: contract('proposed', [null]) })
    team.ok({ type: 'handoff.record', handOff: contract('agreed', ['proposed']) })
    const both = contract('agreed', ['proposed'], ['GET /users', 'GET /teams'])
    expect(team.no({ type: 'handoff.record', handOff: both }).details).toMatchObject({ current: 'agreed' })
    team.ok({ type: 'handoff.record', handOff: contract('implemented', ['agreed']) })
    expect([...team.state.handOffs.values()].map(({ status }) => status)).toEqual(['proposed', 'agreed', 'implemented'])
  }) // C73

  it('is part of a snapshot, like steps', () => {
    const team = teamHarness()
    team.ok({ type: 'step.change', change: change(3, 'started') })
    team.ok({ type: 'handoff.record', handOff: contract('proposed', [null]) })
    const copy = stateFrom(dumpState(team.state))
    expect([...copy.steps.values(), ...copy.handOffs.values()]).toEqual([
      ...team.state.steps.values(),
      ...team.state.handOffs.values(),
    ])
  })
})
