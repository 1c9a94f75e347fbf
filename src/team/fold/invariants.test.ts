import { describe, expect, it } from 'vitest'
import { type TeamHarness, teamHarness } from '../../testing/harnesses/team-harness.ts'
import type { Json } from '../data/json.ts'
import type { TeamEvent } from '../event.ts'
import { raiseGeneration } from '../members/decide-members.ts'
import { memberNamed } from '../state.ts'
import { createInvariants } from './invariants.ts'

/** Folds what no decision would write, and says what is broken by it and at the end. */
function forge(world: TeamHarness, ...events: TeamEvent[]): { after: string[]; atEnd: string[] } {
  const invariants = createInvariants()
  for (const record of world.journal) invariants.after(world.state, (record.events ?? []) as unknown as TeamEvent[])
  const applied = world.fold({ events: events as unknown as Json })
  return { after: invariants.after(world.state, applied.events), atEnd: invariants.atEnd(world.state) }
}

function claimed(id: string, owner: string, generation = 1): TeamEvent {
  return { type: 'task.claimed', id, owner, generation, lease: null }
}

function board(): TeamHarness {
  const world = teamHarness()
  for (const name of ['ada', 'bob']) world.join(name)
  world.add({ subject: 'api', files: ['src/api/'] })
  world.add({ subject: 'users', files: ['src/api/users.ts'] })
  world.add({ subject: 'later', blockedBy: ['1'] })
  world.ok({ type: 'task.claim', id: '1' }, 'ada')
  return world
}

describe('invariants', () => {
  it('hold after every decision', () => {
    const world = board()
    world.ok({ type: 'task.complete', id: '1' }, 'ada')
    world.ok({ type: 'task.claim', id: '2' }, 'ada')
    world.ok({ type: 'task.claim', id: '3' }, 'bob')
    expect(forge(world)).toEqual({ after: [], atEnd: [] })
  })

  it('hold when the lead reopens a dependency of a claimed task', () => {
    const world = board()
    world.ok({ type: 'task.complete', id: '1' }, 'ada')
    world.ok({ type: 'task.claim', id: '3' }, 'bob')
    world.ok({ type: 'task.update', id: '1', status: 'pending' })
    expect(forge(world)).toEqual({ after: [], atEnd: [] })
  })

  it('hold when a repair raises the generation of an owner: its task is free again', () => {
    const world = board()
    const ada = memberNamed(world.state, 'ada')!
    expect(forge(world, ...raiseGeneration(world.state, ada, 7, 'repaired'))).toEqual({ after: [], atEnd: [] })
    expect(memberNamed(world.state, 'ada')).toMatchObject({ generation: 7, status: 'lost' })
    expect(world.state.tasks.get('1')).toMatchObject({
      status: 'pending',
      ended: [{ owner: 'ada', end: 'owner lost' }],
    })
  }) // T43

  it('name claims that overlap, at the claim and at the end', () => {
    const broken = ['tasks 1 and 2 are both held and overlap: src/api/ and src/api/users.ts']
    expect(forge(board(), claimed('2', 'bob'))).toEqual({ after: broken, atEnd: broken })
  })

  it('name a member with two claims', () => {
    const world = board()
    world.add('free')
    expect(forge(world, claimed('4', 'ADA')).after).toEqual(['ada holds both task 1 and task 4'])
  })

  it('name owners that are unknown, were replaced or have a future generation', () => {
    expect(forge(board(), claimed('3', 'bob')).after).toEqual(['task 3 is held before what it waits for is completed'])
    const world = board()
    world.add('free')
    expect(forge(world, claimed('4', 'ghost')).after).toEqual(['task 4 is held by ghost, who is not in the team'])
    expect(forge(world, claimed('4', 'bob', 7)).after).toEqual([
      'task 4 is held by generation 7 of bob, which was replaced',
    ])
    expect(forge(world, { type: 'member.stopped', name: 'bob', generation: 1, reason: '' }).atEnd).toContain(
      'task 4 is held by bob, who is stopped',
    )
  })

  it('name dependencies that do not exist or form a cycle', () => {
    expect(forge(board(), { type: 'task.updated', id: '2', blockedBy: ['9'] }).atEnd).toEqual([
      'task 2 waits for 9, which does not exist',
    ])
    const [cycle] = forge(board(), { type: 'task.updated', id: '1', blockedBy: ['3'] }).atEnd.slice(-1)
    expect(cycle).toBe('tasks wait for each other: 1 -> 3 -> 1')
  })

  it('name counters that would assign an id twice', () => {
    const world = board()
    world.state.counters.set({ ...world.state.counters.get(), task: 3 })
    expect(forge(world).atEnd).toEqual(['task 3 exists, but the next new task would be 3'])
  })
})
