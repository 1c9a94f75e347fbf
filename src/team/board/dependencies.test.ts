import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type TeamHarness, teamHarness } from '../../testing/harnesses/team-harness.ts'
import { readyTasks } from './board.ts'

const addEdge = (world: TeamHarness, id: string, ...addBlockedBy: string[]) =>
  world.run({ type: 'task.update', id, addBlockedBy })

const board = (tasks: number) => {
  const world = teamHarness()
  world.join('ada')
  for (let i = 1; i <= tasks; i++) world.add(`task ${i}`)
  return world
}

const finish = (world: TeamHarness, id: string) => {
  world.ok({ type: 'task.claim', id }, 'ada')
  return world.ok({ type: 'task.complete', id }, 'ada')
}

const ready = (world: TeamHarness) => readyTasks(world.state).map(({ id }) => id)

describe('a dependency', () => {
  it('is refused on itself, on an unknown task, or if it closes a cycle, which is named', () => {
    const world = board(4)
    expect(addEdge(world, '1', '1')).toMatchObject({
      code: 'dependency_cycle',
      details: { cycle: ['1', '1'] },
    })
    expect(addEdge(world, '1', '99')).toMatchObject({ code: 'unknown_dependency' })
    expect(addEdge(world, '1', '2', '99')).toMatchObject({ code: 'unknown_dependency' })
    addEdge(world, '2', '1')
    addEdge(world, '3', '2')
    expect(addEdge(world, '1', '3')).toMatchObject({ details: { cycle: ['1', '3', '2', '1'] } })
    expect(addEdge(world, '1', '4', '2')).toMatchObject({ code: 'dependency_cycle' })
    expect(world.task('1').blockedBy).toEqual([])
  }) // B59, F18

  it('is refused when the opposite dependency exists', () => {
    const world = board(2)
    world.ok({ type: 'task.update', id: '1', addBlockedBy: ['2'] })
    expect(addEdge(world, '2', '1')).toMatchObject({ code: 'dependency_cycle' })
  }) // B59

  it('is kept once when it is given twice, and shown on both tasks', () => {
    const world = board(3)
    addEdge(world, '3', '1', '1', '2')
    const before = world.journal.length
    expect(addEdge(world, '3', '1')).toMatchObject({ note: 'Task 3 is already like that.' })
    expect(world.journal).toHaveLength(before)
    expect(world.task('3').blockedBy).toEqual(['1', '2'])
    expect([world.task('1').blocks, world.task('2').blocks]).toEqual([['3'], ['3']])
  }) // A44, B59

  it('is changed only by the lead or the user, and only while the task is pending', () => {
    const world = board(2)
    expect(world.no({ type: 'task.update', id: '2', addBlockedBy: ['1'] }, 'ada').code).toBe('not_allowed')
    world.ok({ type: 'task.claim', id: '2' }, 'ada')
    expect(world.no({ type: 'task.update', id: '2', addBlockedBy: ['1'] }, 'lead').code).toBe('wrong_state')
  }) // B59

  it('makes its task ready when it is the last one to be met', () => {
    const world = board(2)
    world.add({ subject: 'last', blockedBy: ['1', '2'] })
    expect(finish(world, '1').unblocked).toEqual([])
    expect(world.task('3')).toMatchObject({ blockedBy: ['1', '2'], waitsFor: ['2'] })
    expect(world.ok({ type: 'task.claim', id: '2' }, 'ada').unblocked).toBeUndefined()
    expect(world.ok({ type: 'task.complete', id: '2' }, 'ada').unblocked).toEqual(['last'])
    expect(world.ok({ type: 'task.claim' }, 'ada').tasks?.[0]?.id).toBe('3')
  }) // A45, A80, B63

  it('stays on the task, whose readiness follows the state of the other task', () => {
    const world = board(2)
    finish(world, '1')
    addEdge(world, '2', '1')
    expect(ready(world)).toEqual(['2'])
    world.ok({ type: 'task.update', id: '1', status: 'pending' })
    expect(ready(world)).toEqual(['1'])
    finish(world, '1')
    expect(world.task('2').blockedBy).toEqual(['1'])
    expect(ready(world)).toEqual(['2'])
    world.ok({ type: 'task.update', id: '1', status: 'pending' })
    world.ok({ type: 'task.update', id: '2', removeBlockedBy: ['1'] })
    expect(ready(world)).toEqual(['1', '2'])
  }) // B60, F21

  it('keeps dependents of a failed task blocked, and shows it, until that task is reopened', () => {
    const world = board(1)
    world.add({ subject: 'two', blockedBy: ['1'] })
    world.ok({ type: 'task.claim', id: '1' }, 'ada')
    expect(world.task('2')).toMatchObject({ waitsFor: ['1'], waitsForFailed: [] })
    world.ok({ type: 'task.fail', id: '1', reason: 'broken' }, 'ada')
    expect(world.task('2')).toMatchObject({ waitsFor: ['1'], waitsForFailed: ['1'] })
    expect(world.ok({ type: 'task.claim' }, 'ada')).toMatchObject({ tasks: [], note: 'Nothing to claim right now.' })
    const refusal = { code: 'not_ready', details: { task: '2', waitsFor: ['1'], waitsForFailed: ['1'] } }
    expect(world.no({ type: 'task.claim', id: '2' }, 'ada')).toEqual(refusal)
    world.ok({ type: 'task.update', id: '1', status: 'pending' })
    expect(world.task('2')).toMatchObject({ waitsFor: ['1'], waitsForFailed: [] })
  }) // B60

  it('counts as open when its task is missing in the journal', () => {
    const world = board(1)
    world.fold({ events: [{ type: 'task.updated', id: '1', blockedBy: ['77'] }] })
    expect(world.task('1').waitsFor).toEqual(['77'])
    expect(ready(world)).toEqual([])
  }) // B60
})

describe('a plan', () => {
  const plans = () => {
    const world = board(0)
    const task = (plan: string, n: number, blockedBy: string[] = []) => ({
      id: `${plan}/T${n}`,
      subject: `${plan} ${n}`,
      blockedBy,
    })
    world.ok({
      type: 'task.add',
      tasks: [
        task('03-01', 1),
        task('03-01', 2, ['03-01/T1']),
        task('03-02', 1, ['03-01']),
        task('03-02', 2, ['03-01', '03-02/T1']),
      ],
    })
    return world
  }

  it('lets a task wait for the listed tasks of its own plan', () => {
    const world = plans()
    expect(ready(world)).toEqual(['03-01/T1'])
    finish(world, '03-01/T1')
    expect(ready(world)).toEqual(['03-01/T2'])
  }) // C42, C52

  it('is met as a dependency when all its tasks are completed; the answer names the ready tasks', () => {
    const world = plans()
    finish(world, '03-01/T1')
    expect(world.task('03-02/T1').waitsFor).toEqual(['03-01'])
    expect(finish(world, '03-01/T2').unblocked).toEqual(['03-02 1'])
    expect(ready(world)).toEqual(['03-02/T1'])
    expect(world.task('03-02/T2').waitsFor).toEqual(['03-02/T1'])
  }) // C42, C53, B63

  it('is shown as failed to its dependents when one task failed, and the lead gets a message', () => {
    const world = plans()
    world.ok({ type: 'task.claim', id: '03-01/T1' }, 'ada')
    world.ok({ type: 'task.fail', id: '03-01/T1', reason: 'broken' }, 'ada')
    expect(world.task('03-02/T1')).toMatchObject({ waitsFor: ['03-01'], waitsForFailed: ['03-01'] })
    expect(world.task('03-02/T2').waitsForFailed).toEqual(['03-01'])
    const [message] = world.inbox('lead')
    expect(message?.content).toContain('Still blocked by it: 03-01/T2, 03-02/T1, 03-02/T2.')
    world.ok({ type: 'task.update', id: '03-01/T1', status: 'pending' })
    expect(world.task('03-02/T1')).toMatchObject({ waitsFor: ['03-01'], waitsForFailed: [] })
  })

  it('blocks its dependents again when it gets another task', () => {
    const world = plans()
    finish(world, '03-01/T1')
    finish(world, '03-01/T2')
    world.add({ id: '03-01/T3', subject: 'forgotten' })
    expect(ready(world)).toEqual(['03-01/T3'])
    expect(world.no({ type: 'task.claim', id: '03-02/T1' }, 'ada').code).toBe('not_ready')
  }) // C53

  it('cannot depend on itself, directly or through others', () => {
    const world = plans()
    expect(addEdge(world, '03-01/T1', '03-01')).toMatchObject({ code: 'dependency_cycle' })
    expect(addEdge(world, '03-01/T1', '03-02')).toMatchObject({ code: 'dependency_cycle' })
    expect(addEdge(world, '03-01/T1', '03-02/T1')).toMatchObject({ code: 'dependency_cycle' })
    expect(
      world.run({ type: 'task.add', tasks: [{ id: '03-01/T9', subject: 'x', blockedBy: ['03-02/T2'] }] }),
    ).toMatchObject({ code: 'dependency_cycle' })
    expect(addEdge(world, '03-01/T1', '09-09')).toMatchObject({ code: 'unknown_dependency' })
  }) // F18, C53
})

describe('random dependencies', () => {
  it('leave a board without cycles that can be completed, in whatever order they are added', () => {
    const edge = fc.tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 8 }))
    fc.assert(
      fc.property(fc.array(edge, { maxLength: 30 }), (edges) => {
        const world = board(8)
        for (const [from, to] of edges) addEdge(world, String(from), String(to))
        for (let done = 0; done < 8; done++) {
          const next = world.ok({ type: 'task.claim' }, 'ada').tasks?.[0]
          expect(next).toBeDefined()
          world.ok({ type: 'task.complete', id: next?.id ?? '' }, 'ada')
        }
      }),
      { numRuns: 40 },
    )
  }) // B59, F18, F21
})
