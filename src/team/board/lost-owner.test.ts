import { describe, expect, it } from 'vitest'
import { teamHarness } from '../../testing/harnesses/team-harness.ts'
import { claimableTasks } from '../progress/claimable-tasks.ts'
import { memberNamed } from '../state.ts'
import { tasksLeftTo } from './decide-claims.ts'

const claim = (id?: string) => ({ type: 'task.claim', id }) as const

describe('a task whose owner was lost', () => {
  const lostTeam = (profile = { agentType: null, model: null, requirePlan: false }) => {
    const world = teamHarness()
    world.ok({ type: 'supervise', runtime: 'here' }, 'lead')
    for (const name of ['ada', 'bob'])
      world.ok({ type: 'member.spawn', name, role: 'dev', runtime: 'here', profile }, 'lead')
    world.add('one')
    world.ok(claim(), { name: 'ada', generation: 1, epoch: 1 })
    world.ok({ type: 'member.lose', name: 'ada', reason: 'its model is gone' }, 'lead')
    return world
  }
  const nextOf = (world: ReturnType<typeof lostTeam>, name: string) =>
    world.ok(claim(), { name, generation: 1, epoch: 1 }).tasks?.[0]?.id

  it('is left to that member and its replacement: no other agent gets it unasked', () => {
    const world = lostTeam()
    expect(world.task('1')).toMatchObject({ status: 'pending', ended: [{ owner: 'ada', end: 'owner lost' }] })
    expect(nextOf(world, 'bob')).toBeUndefined()
    expect(claimableTasks(world.state, 'dev', 5)).toEqual([])
    expect(tasksLeftTo(world.state, memberNamed(world.state, 'ada')!).map(({ id }) => id)).toEqual(['1'])
    world.add('two')
    expect(nextOf(world, 'bob')).toBe('2')
  }) // C58, C65

  it('is claimed by its replacement, by an agent that names it, and by members that are no agents', () => {
    const replaced = lostTeam()
    const profile = { agentType: 'errand', model: null, requirePlan: false }
    const replacement = { name: 'ada-errand', role: 'dev', runtime: 'here', profile, task: '1' }
    replaced.ok({ type: 'member.spawn', ...replacement }, 'lead')
    expect(replaced.task('1')).toMatchObject({ status: 'in_progress', owner: 'ada-errand' })
    expect(lostTeam().ok(claim('1'), { name: 'bob', generation: 1, epoch: 1 }).tasks).toMatchObject([{ owner: 'bob' }])
    const scripted = lostTeam()
    scripted.join('script')
    expect(scripted.ok(claim(), 'script').tasks).toMatchObject([{ id: '1', owner: 'script' }])
  }) // C58

  it('is free again when that member is back or stopped, or the task is not for it any more', () => {
    const back = lostTeam()
    back.ok({ type: 'member.spawn', name: 'ada', role: 'dev', runtime: 'here' }, 'lead')
    expect(nextOf(back, 'bob')).toBe('1')
    const stopped = lostTeam()
    stopped.ok({ type: 'member.stop', name: 'ada' }, 'lead')
    expect(nextOf(stopped, 'bob')).toBe('1')
    const assigned = lostTeam()
    assigned.ok({ type: 'task.update', id: '1', assignee: 'bob' }, 'lead')
    expect(nextOf(assigned, 'bob')).toBe('1')
  })

  it('is free at once where a plan has to be approved, since no one-shot agent does it', () => {
    expect(nextOf(lostTeam({ agentType: null, model: null, requirePlan: true }), 'bob')).toBe('1')
  })
})
