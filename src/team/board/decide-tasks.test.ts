import { describe, expect, it } from 'vitest'
import { teamHarness } from '../../testing/harnesses/team-harness.ts'
import { taskView } from '../answers/view.ts'
import type { Command } from '../command.ts'
import { compareIds, type TaskDraft, taskStatus } from '../task.ts'
import { allTasks } from './board.ts'

const team = () => {
  const world = teamHarness()
  world.join('ada', 'backend')
  world.join('bob', 'frontend')
  return world
}

const update = (id: string, changes: Partial<Extract<Command, { type: 'task.update' }>>) =>
  ({ type: 'task.update', id, ...changes }) as const

describe('adding tasks', () => {
  it('gives each task the next number and returns the whole task', () => {
    const world = team()
    expect(world.ok({ type: 'task.add', tasks: [{ subject: ' Write tests ' }] }).tasks).toEqual([
      {
        id: '1',
        subject: 'Write tests',
        description: '',
        activeForm: 'Working on: Write tests',
        status: 'pending',
        owner: null,
        assignee: null,
        role: null,
        priority: 5,
        estimate: null,
        blockedBy: [],
        waitsFor: [],
        waitsForFailed: [],
        blocks: [],
        files: [],
        attempts: 0,
        ended: [],
        result: null,
        commit: null,
        reason: null,
        leaseUntil: null,
        createdBy: 'user',
        createdAt: 1000,
        claimedAt: null,
        completedAt: null,
        seq: expect.any(Number),
      },
    ])
    expect(world.no(update('7', { subject: 'x' })).code).toBe('unknown_task')
  }) // A41, A42

  it('adds several tasks at once, all or none, with dependencies among them', () => {
    const world = team()
    const batch = (...tasks: TaskDraft[]) => world.run({ type: 'task.add', tasks })
    expect(
      batch({ subject: 'a' }, { subject: 'b', blockedBy: ['+1', '+1'] }, { subject: 'c', blockedBy: ['+2', '1'] }),
    ).toMatchObject({
      tasks: [{ blockedBy: [] }, { blockedBy: ['1'] }, { blockedBy: ['2', '1'] }],
    })
    const before = world.journal.length
    for (const bad of [
      { subject: '' },
      { subject: '  \t' },
      { subject: 'two\nlines' },
      { subject: 'x'.repeat(501) },
      { subject: 'd', description: 'x'.repeat(1_000_001) },
      { subject: 'd', priority: 11 },
      { subject: 'd', priority: -1 },
      { subject: 'd', priority: 1.5 },
      { subject: 'd', priority: Number.NaN },
      { subject: 'd', role: 'no\nrole' },
      { subject: 'd', assignee: 'unknown' },
      { subject: 'd', assignee: '' },
      { subject: 'd', files: ['/etc/passwd'] },
      { subject: 'd', files: ['../x'] },
      { subject: 'd', files: [''] },
      { subject: 'd', id: '9' },
      { subject: 'd', id: '../x' },
      { subject: 'd', id: '1-1/T1' },
      { subject: 'd', blockedBy: ['99'] },
      { subject: 'd', blockedBy: [''] },
      { subject: 'd', blockedBy: ['+3'] },
      { subject: 'd', blockedBy: ['+0'] },
      { subject: 'd', blockedBy: ['+2'] },
      { subject: 'd', blockedBy: ['__proto__'] },
    ] as TaskDraft[]) {
      expect(batch({ subject: 'good' }, bad), JSON.stringify(bad)).toHaveProperty('code')
    }
    expect(batch()).toHaveProperty('code')
    expect(world.journal).toHaveLength(before)
    expect(batch({ subject: 'next' })).toMatchObject({ tasks: [{ id: '4' }] })
  }) // A41, B58

  it('never gives a number twice, also after the last task was deleted', () => {
    const world = team()
    world.add('one')
    world.add('two')
    world.ok(update('2', { status: 'deleted' }))
    expect(world.add('three')).toBe('3')
  }) // B58, F22

  it('accepts tasks of a plan under their own ids, each once', () => {
    const world = team()
    const tasks = [
      { id: '03-01/T1', subject: 'a' },
      { id: '03-01/T10', subject: 'b' },
      { id: '03-01/T2', subject: 'c' },
    ]
    world.ok({ type: 'task.add', tasks })
    expect(world.no({ type: 'task.add', tasks: [{ id: '03-01/T1', subject: 'again' }] }).code).toBe('invalid')
    expect(
      world.no({
        type: 'task.add',
        tasks: [
          { id: '03-02/T1', subject: 'x' },
          { id: '03-02/T1', subject: 'y' },
        ],
      }).code,
    ).toBe('invalid')
    expect(world.add('on the open board')).toBe('1')
    expect(allTasks(world.state).map(({ id }) => id)).toEqual(['1', '03-01/T1', '03-01/T2', '03-01/T10'])
  }) // C41

  it('lists task 2 before task 10, and numbered tasks before tasks of plans', () => {
    const ids = ['10', '2', '1', '03-02/T1', '03-01/T10', '03-01/T9', '100', '20']
    expect(ids.sort(compareIds)).toEqual(['1', '2', '10', '20', '100', '03-01/T9', '03-01/T10', '03-02/T1'])
  }) // F17

  it('lets a member set dependencies and assign itself when it creates a task, not assign others', () => {
    const world = team()
    world.add('one')
    expect(world.add({ subject: 'two', blockedBy: ['1'], assignee: 'ada' }, 'ada')).toBe('2')
    expect(world.task('2')).toMatchObject({ createdBy: 'ada', assignee: 'ada' })
    expect(world.no({ type: 'task.add', tasks: [{ subject: 'x', assignee: 'bob' }] }, 'ada').code).toBe('not_allowed')
  }) // B59
})

describe('updating a task', () => {
  it('changes only the named fields, and writes nothing when nothing changes', () => {
    const world = team()
    world.add({ subject: 'one', files: ['a.ts'] })
    world.ok(
      update('1', {
        subject: 'uno',
        description: 'd',
        activeForm: 'f',
        role: 'backend',
        priority: 7,
        files: ['./b//c/'],
      }),
    )
    const changed = { subject: 'uno', description: 'd', activeForm: 'f', role: 'backend', priority: 7, files: ['b/c/'] }
    expect(world.task('1')).toMatchObject({ ...changed, status: 'pending', assignee: null })
    const before = world.journal.length
    expect(world.ok(update('1', { subject: 'uno', priority: 7, files: ['b/c/'] })).note).toBe(
      'Task 1 is already like that.',
    )
    expect(world.journal).toHaveLength(before)
    world.ok(update('1', { role: null }))
    expect(world.task('1').role).toBeNull()
  }) // A43

  it('refuses values a task cannot have', () => {
    const world = team()
    world.add('one')
    const bad = [
      { subject: '' },
      { subject: 'a\nb' },
      { subject: 'x'.repeat(501) },
      { priority: 11 },
      { role: 'a\nb' },
      { assignee: 'unknown' },
      { assignee: '' },
      { files: ['/'] },
      { files: ['a/../../b'] },
      { addBlockedBy: [''] },
      { status: 'banana' },
      { status: '' },
      { status: 'constructor' },
      { status: 'failed' },
    ]
    for (const changes of bad) expect(world.run(update('1', changes)), JSON.stringify(changes)).toHaveProperty('code')
    expect(world.task('1').seq).toBe(world.journal.length * 10)
  }) // F20

  it('is for the lead and the user; owner and creator may change the text and files of their task', () => {
    const world = team()
    world.add('by ada', 'ada')
    expect(world.no(update('1', { subject: 'x' }), 'bob').code).toBe('not_allowed')
    world.ok(update('1', { subject: 'x' }), 'ada')
    for (const changes of [{ priority: 9 }, { role: 'backend' }, { assignee: 'bob' }, { addBlockedBy: ['1'] }]) {
      expect(world.no(update('1', changes), 'ada').code).toBe('not_allowed')
    }
    world.ok({ type: 'task.claim', id: '1' }, 'bob')
    expect(world.no(update('1', { subject: 'y' }), 'ada').code).toBe('not_allowed')
    world.ok(update('1', { description: 'notes', files: ['src/x.ts'] }), 'bob')
    world.ok(update('1', { priority: 9 }), 'lead')
    world.ok({ type: 'task.complete', id: '1' }, 'bob')
    expect(world.no(update('1', { description: 'late' }), 'bob').code).toBe('not_allowed')
  }) // A43

  it('accepts the documented names of states, and no others', () => {
    expect(
      ['pending', 'available', 'claimed', 'in_progress', 'complete', 'completed', 'deleted'].map(taskStatus),
    ).toEqual(['pending', 'pending', 'in_progress', 'in_progress', 'completed', 'completed', 'deleted'])
    expect(['', 'done', 'Pending', '__proto__'].map(taskStatus)).toEqual([undefined, undefined, undefined, undefined])
  }) // A40, A49, C45, F20

  it('claims a task set to in_progress and completes one set to completed, by the same rules', () => {
    const world = team()
    world.add('one')
    world.add({ subject: 'two', blockedBy: ['1'] })
    expect(world.no(update('2', { status: 'claimed' }), 'ada').code).toBe('not_ready')
    expect(world.no(update('1', { status: 'completed' }), 'ada').code).toBe('wrong_state')
    expect(world.ok(update('1', { status: 'claimed' }), 'ada').tasks).toMatchObject([
      { status: 'in_progress', owner: 'ada' },
    ])
    expect(world.no(update('1', { status: 'complete' }), 'bob').code).toBe('not_owner')
    expect(world.ok(update('1', { status: 'complete' }), 'ada').unblocked).toEqual(['two'])
    expect(world.no(update('2', { status: 'in_progress' })).code).toBe('not_allowed')
  }) // A48, C45, F20

  it('writes changed fields and a changed state in one record or not at all', () => {
    const world = team()
    world.add('one', 'ada')
    const before = world.journal.length
    expect(world.no(update('1', { subject: 'changed', status: 'completed' }), 'ada').code).toBe('wrong_state')
    expect(world.task('1').subject).toBe('one')
    world.ok(update('1', { subject: 'changed', status: 'in_progress' }), 'ada')
    expect(world.journal).toHaveLength(before + 1)
    expect(world.task('1')).toMatchObject({ subject: 'changed', owner: 'ada' })
  }) // A43

  it('assigns a pending task to a present member, for the lead only', () => {
    const world = team()
    world.add('one')
    world.ok(update('1', { assignee: 'ADA' }))
    expect(world.task('1').assignee).toBe('ada')
    world.ok({ type: 'task.claim', id: '1' }, 'ada')
    expect(world.no(update('1', { assignee: 'bob' })).code).toBe('wrong_state')
    world.ok({ type: 'task.release', id: '1' }, 'ada')
    world.ok(update('1', { assignee: null }))
    world.ok({ type: 'task.claim', id: '1' }, 'bob')
  }) // A43

  it('reopens a completed or failed task with its attempts, for the lead only', () => {
    const world = team()
    world.add('one')
    world.add({ subject: 'two', blockedBy: ['1'] })
    world.ok({ type: 'task.claim', id: '1' }, 'ada')
    world.ok({ type: 'task.fail', id: '1', reason: 'no access' }, 'ada')
    expect(world.no(update('1', { status: 'pending' }), 'ada').code).toBe('not_allowed')
    world.ok(update('1', { status: 'pending' }), 'lead')
    world.ok({ type: 'task.claim', id: '1' }, 'bob')
    expect(world.no(update('1', { status: 'pending' })).code).toBe('wrong_state')
    world.ok({ type: 'task.complete', id: '1', result: 'ok' }, 'bob')
    expect(world.task('2').waitsFor).toEqual([])
    world.ok(update('1', { status: 'pending' }))
    expect(world.task('2').waitsFor).toEqual(['1'])
    expect(world.no({ type: 'task.claim', id: '2' }, 'ada').code).toBe('not_ready')
    expect(world.ok(update('1', { status: 'pending' })).note).toBe('Task 1 is already pending.')
    expect(world.task('1')).toMatchObject({
      attempts: 2,
      owner: null,
      result: null,
      ended: [
        { owner: 'ada', end: 'reopened', reason: 'no access' },
        { owner: 'bob', end: 'reopened' },
      ],
    })
  }) // F20, F24
})

describe('reopening and changing at once', () => {
  it('assigns the reopened task in the same record', () => {
    const world = team()
    world.add('one')
    world.ok({ type: 'task.claim', id: '1' }, 'ada')
    world.ok({ type: 'task.fail', id: '1', reason: 'no access' }, 'ada')
    world.ok(update('1', { status: 'pending', assignee: 'bob' }))
    expect(world.task('1')).toMatchObject({ status: 'pending', assignee: 'bob' })
  })
})

describe('deleting a task', () => {
  it('is refused while other tasks depend on it, unless forced; then those become ready', () => {
    const world = team()
    world.add('one')
    world.add({ subject: 'two', blockedBy: ['1'] })
    world.add({ subject: 'three', blockedBy: ['1', '2'] })
    expect(world.no(update('1', { status: 'deleted' })).details).toMatchObject({ dependents: ['2', '3'] })
    world.ok(update('1', { status: 'deleted', detach: true }))
    expect(world.task('2')).toMatchObject({ blockedBy: [], waitsFor: [] })
    expect(world.task('3')).toMatchObject({ blockedBy: ['2'] })
    expect(world.ok({ type: 'task.claim' }, 'ada').tasks?.[0]?.id).toBe('2')
    expect(world.no({ type: 'task.claim', id: '1' }, 'bob').code).toBe('unknown_task')
    expect(allTasks(world.state).map(({ id }) => id)).toEqual(['2', '3'])
  }) // F19, A40

  it('is for the lead, the user and its creator while it is pending, never while it is claimed', () => {
    const world = team()
    world.add('one', 'ada')
    expect(world.no(update('1', { status: 'deleted' }), 'bob').code).toBe('not_allowed')
    world.ok({ type: 'task.claim', id: '1' }, 'bob')
    expect(world.no(update('1', { status: 'deleted' }), 'ada').code).toBe('not_allowed')
    expect(world.no(update('1', { status: 'deleted' })).code).toBe('wrong_state')
    world.ok({ type: 'task.release', id: '1' }, 'bob')
    world.ok(update('1', { status: 'deleted' }), 'ada')
  }) // F20

  it('is refused for the last task of a plan while other tasks wait for the plan', () => {
    const world = team()
    world.ok({
      type: 'task.add',
      tasks: [
        { id: '03-01/T1', subject: 'a' },
        { id: '03-01/T2', subject: 'b' },
        { subject: 'after', blockedBy: ['03-01'] },
      ],
    })
    world.ok({ type: 'task.claim', id: '03-01/T1' }, 'ada')
    world.ok({ type: 'task.complete', id: '03-01/T1' }, 'ada')
    expect(world.task('1').waitsFor).toEqual(['03-01'])
    world.ok(update('03-01/T2', { status: 'deleted' }))
    expect(world.task('1').waitsFor).toEqual([])
    expect(world.no(update('03-01/T1', { status: 'deleted' })).code).toBe('has_dependents')
  }) // F19, C53
})

describe('the board', () => {
  it('shows the state, the owner and the open dependencies of each task', () => {
    const world = team()
    world.add('one')
    world.add({ subject: 'two', blockedBy: ['1'] })
    world.add('three')
    world.ok({ type: 'task.claim' }, 'ada')
    const lines = allTasks(world.state).map((task) => {
      const { id, status, owner, waitsFor } = taskView(world.state, task)
      return [id, status, owner, waitsFor.join()].join(' ')
    })
    expect(lines).toEqual(['1 in_progress ada ', '2 pending  1', '3 pending  '])
  }) // A46
})
