import { describe, expect, it } from 'vitest'
import { teamHarness } from '../../testing/harnesses/team-harness.ts'
import { putTask } from './board.ts'
import { remainingPath } from './remaining-path.ts'

const planOfOne = (id: string, ...blockedBy: string[]) => ({
  ...{ id, title: `Plan ${id}`, objective: 'Objective', wave: 1, folder: 'phases/03', hash: 'h' },
  tasks: [{ id: `${id}/T1`, subject: 'do', blockedBy }],
})

describe('the remaining path', () => {
  it('counts the tasks that must follow each other, without completed ones', () => {
    const world = teamHarness()
    world.run({ type: 'team.create', team: 'web' })
    const task = (subject: string, ...blockedBy: string[]) => ({ subject, blockedBy })
    world.run({ type: 'task.add', tasks: [task('a'), task('b', '1'), task('c', '2'), task('d', '1'), task('e')] })
    expect(['1', '2', '3', '4', '5', '9'].map((id) => remainingPath(world.state, id))).toEqual([3, 2, 1, 1, 1, 0])
  })

  it('follows every change of a dependency or a state, also one that a trial takes back', () => {
    const world = teamHarness()
    world.join('ada')
    for (const subject of ['a', 'b', 'c']) world.add(subject)
    const lengths = () => ['1', '2', '3'].map((id) => remainingPath(world.state, id))
    const edge = (id: string, ...addBlockedBy: string[]) => world.ok({ type: 'task.update', id, addBlockedBy })
    expect(lengths()).toEqual([1, 1, 1])
    edge('2', '1')
    edge('3', '2')
    expect(lengths()).toEqual([3, 2, 1])
    world.ok({ type: 'task.claim', id: '1' }, 'ada')
    world.ok({ type: 'task.complete', id: '1' }, 'ada')
    expect(lengths()).toEqual([0, 2, 1])
    world.ok({ type: 'task.claim', id: '2' }, 'ada')
    // What it waited for is open again while it is worked on, and completed all the same.
    world.ok({ type: 'task.update', id: '1', status: 'pending' })
    expect(lengths()).toEqual([3, 2, 1])
    world.ok({ type: 'task.complete', id: '2' }, 'ada')
    expect(lengths()).toEqual([1, 0, 1])
    const tried = world.state.trial.run(() => {
      putTask(world.state, '3', { ...world.state.tasks.get('3')!, blockedBy: ['1'] })
      return lengths()
    })
    expect(tried).toEqual([2, 0, 1])
    expect(lengths()).toEqual([1, 0, 1])
    world.ok({ type: 'task.update', id: '3', removeBlockedBy: ['2'] })
    world.ok({ type: 'task.update', id: '3', addBlockedBy: ['1'] })
    expect(lengths()).toEqual([2, 0, 1])
    world.ok({ type: 'task.update', id: '3', status: 'deleted' })
    expect(lengths()).toEqual([1, 0, 0])
  }) // T30

  it('is the longest of several dependents that came together, in whichever order', () => {
    const world = teamHarness()
    world.add('a')
    world.add('b')
    const behind = (id: string, estimate: number) => ({
      subject: `${estimate} behind ${id}`,
      blockedBy: [id],
      estimate,
    })
    world.ok({ type: 'task.add', tasks: [behind('1', 5), behind('1', 2), behind('2', 2), behind('2', 5)] })
    expect(['1', '2'].map((id) => remainingPath(world.state, id))).toEqual([6, 6])
  })

  it('follows an estimate, whichever dependent is the longest, and a longer one that comes with it', () => {
    const world = teamHarness()
    world.add('a')
    world.add({ subject: 'b', blockedBy: ['1'] })
    world.add({ subject: 'c', blockedBy: ['1'], estimate: 5 })
    world.ok({ type: 'task.update', id: '1', estimate: 5 })
    expect(remainingPath(world.state, '1')).toBe(10)
    world.ok({ type: 'task.update', id: '1', estimate: 1 })
    expect(remainingPath(world.state, '1')).toBe(6)
    world.add({ subject: 'd', estimate: 50 })
    world.fold({
      by: { name: 'user' },
      events: [
        { type: 'task.updated', id: '1', estimate: 3 },
        { type: 'task.updated', id: '4', blockedBy: ['1'] },
      ],
    })
    expect(remainingPath(world.state, '1')).toBe(53)
  })

  it('goes through a failed task, which may be reopened', () => {
    const world = teamHarness()
    world.join('ada')
    world.add('a')
    world.add({ subject: 'b', blockedBy: ['1'] })
    world.ok({ type: 'task.claim', id: '1' }, 'ada')
    world.ok({ type: 'task.fail', id: '1', reason: 'too hard' }, 'ada')
    world.add({ subject: 'c', blockedBy: ['2'], estimate: 3 })
    expect(remainingPath(world.state, '1')).toBe(5)
  })

  it('goes on behind the plan of a task, also when the task changes', () => {
    const world = teamHarness()
    world.ok({ type: 'plan.load', plan: planOfOne('03-01') })
    world.ok({ type: 'plan.load', plan: planOfOne('03-02', '03-01') })
    expect(remainingPath(world.state, '03-01/T1')).toBe(2)
    world.ok({ type: 'task.update', id: '03-01/T1', estimate: 4 })
    expect(remainingPath(world.state, '03-01/T1')).toBe(5)
    world.ok({ type: 'task.update', id: '03-01/T1', estimate: 2 })
    expect(remainingPath(world.state, '03-01/T1')).toBe(3)
  })

  it('ends on a board whose damaged journal holds a cycle', () => {
    const world = teamHarness()
    for (const subject of ['a', 'b']) world.add(subject)
    world.ok({ type: 'task.update', id: '2', addBlockedBy: ['1'] })
    world.fold({ by: { name: 'user' }, events: [{ type: 'task.updated', id: '1', blockedBy: ['2'] }] })
    expect(remainingPath(world.state, '1')).toBeGreaterThan(0)
  }) // T30
})
