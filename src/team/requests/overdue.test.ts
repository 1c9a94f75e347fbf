import { describe, expect, it } from 'vitest'
import { type TeamHarness, teamHarness } from '../../testing/harnesses/team-harness.ts'
import { memberNamed } from '../state.ts'
import { endedLeases, nextDeadline } from './overdue.ts'

const types = (world: TeamHarness) => (world.journal.at(-1)!.events as { type: string }[]).map(({ type }) => type)

/** A supervisor and one worker process with an agent that holds a task; ada is a script. */
const staffed = () => {
  const world = teamHarness()
  world.join('ada')
  world.self = 'supervisor'
  world.ok({ type: 'supervise', runtime: 'supervisor' })
  world.ok({ type: 'member.spawn', name: 'bot', role: 'dev', runtime: 'worker' })
  world.add('one')
  world.ok({ type: 'task.claim' }, { name: 'bot', generation: 1 })
  world.send({ to: 'bot', content: 'hello' })
  world.self = 'another'
  return world
}

describe('expiry', () => {
  it('is known without writing: expired leases, and the next deadline', () => {
    const world = teamHarness()
    world.join('ada')
    world.join('bob')
    expect(nextDeadline(world.state)).toBeUndefined()
    world.add('one')
    world.add('two')
    world.ok({ type: 'task.claim', lease: 60 }, 'ada')
    world.ok({ type: 'task.claim', lease: 30 }, 'bob')
    world.ok({ type: 'request.open', kind: 'shutdown', to: 'ada', content: 'x', deadline: 20 })
    expect(nextDeadline(world.state)).toBe(1020)
    expect(endedLeases(world.state, 1029)).toEqual([])
    expect(endedLeases(world.state, 1060)).toEqual(['1', '2'])
    expect(world.task('1').status).toBe('in_progress')
  }) // F24

  it('is written together with the next accepted command, and not by a refused one', () => {
    const world = teamHarness()
    world.join('ada')
    world.add('one')
    world.ok({ type: 'task.claim', lease: 60 }, 'ada')
    world.now += 60
    const before = world.journal.length
    world.no({ type: 'task.complete', id: '1' }, 'ada')
    expect(world.journal).toHaveLength(before)
    world.join('bob')
    expect(types(world)).toEqual(['task.released', 'member.joined'])
  }) // F24, F28
})

describe('a member of a dead process', () => {
  it('is declared lost only by its supervisor while that is alive', () => {
    const world = staffed()
    world.gone.add('worker')
    world.add('by another')
    expect(memberNamed(world.state, 'bot')?.status).toBe('starting')
    world.self = 'supervisor'
    world.add('by the supervisor')
    expect(types(world)).toEqual(['task.released', 'member.lost', 'task.created'])
    expect(memberNamed(world.state, 'bot')).toMatchObject({ status: 'lost', runtime: null })
  }) // F33, B66

  it('is declared lost by the next command of any process when the supervisor is dead, in one record', () => {
    const world = staffed()
    world.gone.add('supervisor').add('worker')
    expect(world.ok({ type: 'task.claim' }, 'ada').tasks).toMatchObject([
      { id: '1', owner: 'ada', attempts: 2, ended: [{ owner: 'bot', end: 'owner lost' }] },
    ])
    expect(types(world)).toEqual(['task.released', 'member.lost', 'supervisor.gone', 'task.claimed'])
    expect(world.state.supervisor.get()).toEqual({ runtime: null, epoch: 1 })
    expect(world.inbox('bot')).toHaveLength(1)
    world.add('later')
    expect(types(world)).toEqual(['task.created'])
  }) // F24, F33

  it('is declared lost by the next command of any process when there is no supervisor', () => {
    const world = staffed()
    world.gone.add('supervisor')
    world.add('finds the supervisor gone')
    expect(memberNamed(world.state, 'bot')?.status).toBe('starting')
    world.gone.add('worker')
    world.add('finds the worker gone')
    expect(types(world)).toEqual(['task.released', 'member.lost', 'task.created'])
  }) // F24, F33

  it('is lost alone: members of live processes stay', () => {
    const world = staffed()
    world.ok({ type: 'member.spawn', name: 'bee', role: 'dev', runtime: 'other' })
    world.gone.add('supervisor')
    world.unknown.add('worker')
    world.add('any')
    expect(['bot', 'bee', 'ada'].map((name) => memberNamed(world.state, name)?.status)).toEqual([
      'starting',
      'starting',
      'idle',
    ])
    expect(world.state.supervisor.get().runtime).toBeNull()
  }) // F33

  it('comes back as a new generation, and the next supervisor has the next epoch', () => {
    const world = staffed()
    world.gone.add('supervisor').add('worker')
    world.self = 'new'
    world.ok({ type: 'supervise', runtime: 'new' })
    expect(types(world)).toEqual(['task.released', 'member.lost', 'supervisor.gone', 'supervisor.took'])
    expect(world.state.supervisor.get()).toEqual({ runtime: 'new', epoch: 2 })
    expect(world.ok({ type: 'member.spawn', name: 'bot', role: 'dev', runtime: 'new' }).member?.generation).toBe(2)
    expect(memberNamed(world.state, 'bot')?.epoch).toBe(2)
    expect(world.inbox('bot')).toHaveLength(1)
  }) // F33, F14
})
