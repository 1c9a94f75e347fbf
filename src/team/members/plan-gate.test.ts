import { describe, expect, it } from 'vitest'
import { type TeamHarness, teamHarness } from '../../testing/harnesses/team-harness.ts'
import { memberNamed } from '../state.ts'
import { planGate } from './plan-gate.ts'

function spawn(world: TeamHarness) {
  const profile = { agentType: null, model: null, requirePlan: true }
  const { member } = world.ok({ type: 'member.spawn', name: 'ada', role: 'dev', runtime: 'here', profile })
  return { name: 'ada', generation: member!.generation }
}

function approvedPlan(world: TeamHarness, by: { name: string; generation: number }) {
  const { request } = world.ok({ type: 'request.open', kind: 'plan_approval', to: 'lead', content: 'I dig.' }, by)
  world.ok({ type: 'request.answer', id: request!.id, approve: true, feedback: 'Go.' }, 'lead')
}

const gateOf = ({ state }: TeamHarness) => planGate(state, memberNamed(state, 'ada')!)

function team(): TeamHarness {
  const world = teamHarness()
  world.ok({ type: 'supervise', runtime: 'here' })
  return world
}

describe('the approval of a plan', () => {
  it('does not hold for the next generation of its teammate, with or without a task', () => {
    const world = team()
    const ada = spawn(world)
    expect(gateOf(world)).toBe('required')
    approvedPlan(world, ada)
    expect(gateOf(world)).toBe('approved')
    world.ok({ type: 'member.lose', name: 'ada', reason: 'gone' }, 'lead')
    spawn(world)
    expect(gateOf(world)).toBe('required')
  }) // F27

  it('holds for one assignment: not for another task, nor for the same task claimed again', () => {
    const world = team()
    const ada = spawn(world)
    const [dig, plant] = [world.add('dig'), world.add('plant')]
    world.ok({ type: 'task.claim', id: dig }, ada)
    approvedPlan(world, ada)
    expect(gateOf(world)).toBe('approved')
    world.ok({ type: 'task.release', id: dig }, ada)
    world.ok({ type: 'task.claim', id: plant }, ada)
    expect(gateOf(world)).toBe('required')
    world.ok({ type: 'task.release', id: plant }, ada)
    world.ok({ type: 'task.claim', id: dig }, ada)
    expect(gateOf(world)).toBe('required')
  }) // F27
})
