import { describe, expect, it } from 'vitest'
import { teamHarness } from '../../testing/harnesses/team-harness.ts'
import { memberNamed } from '../state.ts'
import { readyTasks } from './board.ts'

const team = () => {
  const world = teamHarness()
  world.join('ada', 'backend')
  world.join('bob', 'frontend')
  return world
}

const claim = (id?: string, lease?: number) => ({ type: 'task.claim', id, lease }) as const

describe('a claim', () => {
  it('gives a pending, unowned, ready task its only owner and counts the attempt', () => {
    const world = team()
    world.add('one')
    expect(world.ok(claim('1'), 'ada').tasks).toMatchObject([
      { id: '1', status: 'in_progress', owner: 'ada', attempts: 1, claimedAt: 1000 },
    ])
    expect(world.no(claim('1'), 'bob')).toEqual({
      code: 'wrong_state',
      details: { problem: 'claimed', task: '1', owner: 'ada' },
    })
    expect(world.ok(claim(), 'bob')).toMatchObject({ tasks: [], note: 'Nothing to claim right now.' })
    world.ok({ type: 'task.complete', id: '1' }, 'ada')
    expect(world.no(claim('1'), 'bob').code).toBe('wrong_state')
  }) // A78, A79, F7, B62

  it('records which member took which task and when', () => {
    const world = team()
    world.add('one')
    world.ok(claim(), 'ada')
    expect(world.journal.at(-1)).toMatchObject({
      at: 1000,
      by: { name: 'ada' },
      events: [{ type: 'task.claimed', id: '1', owner: 'ada', generation: 1, lease: null }],
    })
  }) // B45

  it('takes the highest priority first, then the lowest number, when it names no task', () => {
    const world = team()
    for (const priority of [5, 5, 9, 0, 5, 5, 5, 5, 5, 5, 9]) world.add({ subject: 'x', priority })
    expect(
      readyTasks(world.state)
        .map(({ id }) => id)
        .join(' '),
    ).toBe('3 11 1 2 5 6 7 8 9 10 4')
    const taken: string[] = []
    for (let i = 0; i < 11; i++) {
      const id = world.ok(claim(), 'ada').tasks?.[0]?.id ?? ''
      taken.push(id)
      world.ok({ type: 'task.complete', id }, 'ada')
    }
    expect(taken.join(' ')).toBe('3 11 1 2 5 6 7 8 9 10 4')
    world.ok({ type: 'task.update', id: '4', status: 'pending', priority: 1 })
    expect(world.ok(claim(), 'ada').tasks?.[0]?.id).toBe('4')
  }) // B61, A78, F17

  it('takes the longest remaining path first among tasks of one priority', () => {
    const world = team()
    const task = (priority: number, ...blockedBy: string[]) => world.add({ subject: 'x', priority, blockedBy })
    task(5)
    task(5)
    task(5)
    task(9)
    task(0, '3')
    task(0, '5')
    task(9, '2')
    const order = () =>
      readyTasks(world.state)
        .map(({ id }) => id)
        .join(' ')
    // 3 -> 5 -> 6, 2 -> 7, 1; what waits for a task counts by length, not by priority.
    expect(order()).toBe('4 3 2 1')
    world.ok({ type: 'task.update', id: '1', estimate: 3 })
    expect(order()).toBe('4 1 3 2')
    world.ok({ type: 'task.update', id: '7', estimate: 900 })
    expect(order()).toBe('4 2 1 3')
    world.ok({ type: 'task.update', id: '7', removeBlockedBy: ['2'] })
    expect(order()).toBe('7 4 1 3 2')
    world.ok(claim('4'), 'ada')
    world.ok({ type: 'task.complete', id: '4' }, 'ada')
    world.ok(claim('7'), 'ada')
    world.ok({ type: 'task.complete', id: '7' }, 'ada')
    expect(world.ok(claim(), 'ada').tasks?.[0]?.id).toBe('1')
    expect(world.ok(claim(), 'bob').tasks?.[0]?.id).toBe('3')
  })

  it('counts paths of 1,000 and more as equal: then the lowest number is first', () => {
    const world = team()
    for (const estimate of [999, 1000, 1000, 1]) world.add({ subject: 'x', estimate })
    world.add({ subject: 'after', blockedBy: ['3'] })
    world.add({ subject: 'after', blockedBy: ['1'] })
    expect(readyTasks(world.state).map(({ id }) => id)).toEqual(['1', '2', '3', '4'])
  })

  it('merges tasks of its role with open ones in one order, and follows a change of role', () => {
    const world = team()
    for (const [role, priority] of [
      ['backend', 3],
      [null, 4],
      ['BackEnd', 5],
      ['qa', 9],
      [null, 2],
    ] as const)
      world.add({ subject: 'x', role, priority })
    const taken: string[] = []
    const takeNext = () => {
      const id = world.ok(claim(), 'ada').tasks?.[0]?.id
      if (id === undefined) return
      taken.push(id)
      world.ok({ type: 'task.complete', id }, 'ada')
    }
    world.ok({ type: 'task.update', id: '1', role: 'qa' })
    takeNext()
    takeNext()
    world.ok({ type: 'task.update', id: '1', role: 'Backend' })
    takeNext()
    world.ok({ type: 'task.update', id: '4', role: null })
    for (let i = 0; i < 3; i++) takeNext()
    expect(taken.join(' ')).toBe('3 2 1 4 5')
  })

  it('goes by role: a task for another role is refused by id and skipped without an id', () => {
    const world = team()
    world.add({ subject: 'api', role: 'Backend', priority: 9 })
    world.add('open')
    expect(world.no(claim('1'), 'bob').code).toBe('role_mismatch')
    expect(world.ok(claim(), 'bob').tasks?.[0]?.id).toBe('2')
    expect(world.ok(claim(), 'ada').tasks?.[0]?.id).toBe('1')
  }) // B45

  it('prefers a task assigned to the claimer, and no other member gets that task', () => {
    const world = team()
    world.add({ subject: 'open', priority: 10 })
    world.add({ subject: 'for bob', assignee: 'bob', priority: 0 })
    expect(world.no(claim('2'), 'ada').code).toBe('assigned_to_other')
    expect(world.ok(claim(), 'bob').tasks?.[0]?.id).toBe('2')
    expect(world.ok(claim(), 'ada').tasks?.[0]?.id).toBe('1')
  }) // F25

  it('is allowed by a member that is spawned in place of the assignee, and by no other that is spawned', () => {
    const world = team()
    world.add({ subject: 'for bob', assignee: 'bob' })
    const spawn = { type: 'member.spawn', name: 'eve', role: 'dev', runtime: 'r', task: '1' } as const
    expect(world.no(spawn, 'lead').code).toBe('assigned_to_other')
    expect(world.no({ ...spawn, inPlaceOf: 'ada' }, 'lead').code).toBe('assigned_to_other')
    world.ok({ ...spawn, inPlaceOf: 'Bob' }, 'lead')
    expect(world.state.tasks.get('1')).toMatchObject({ status: 'in_progress', owner: 'eve' })
  })

  it('is one per member: a repeated claim returns the held task, another task is refused', () => {
    const world = team()
    world.add('one')
    world.add('two')
    world.ok(claim(), 'ada')
    const before = world.journal.length
    for (const same of [claim(), claim('1')]) {
      expect(world.ok(same, 'ada')).toMatchObject({
        note: 'ada already holds task 1.',
        tasks: [{ id: '1', owner: 'ada' }],
      })
    }
    expect(world.journal).toHaveLength(before)
    expect(world.no(claim('2'), 'ada')).toMatchObject({
      code: 'holds_another',
      details: { member: 'ada', task: '1' },
    })
  }) // F25, B62

  it('needs a present member: the user, unknown names and stopped members hold nothing', () => {
    const world = team()
    world.add('one')
    expect(world.no(claim()).code).toBe('not_allowed')
    expect(world.no(claim(), 'zoe').code).toBe('unknown_member')
    expect(world.no(claim('99'), 'ada').code).toBe('unknown_task')
    expect(world.no(claim(''), 'ada').code).toBe('unknown_task')
    expect(world.task('1').owner).toBeNull()
  }) // F26, B62

  it('reserves the files of its task until it ends; overlapping tasks are refused or skipped', () => {
    const world = team()
    world.add({ subject: 'api', files: ['src/api/'] })
    world.add({ subject: 'users', files: ['src/api/users.ts'], priority: 9 })
    world.add({ subject: 'web', files: ['src/web/'] })
    world.ok(claim('1'), 'ada')
    expect(world.no(claim('2'), 'bob')).toMatchObject({
      code: 'files_overlap',
      details: { task: '2', path: 'src/api/users.ts', claimed: { task: '1', owner: 'ada', path: 'src/api/' } },
    })
    expect(world.ok(claim(), 'bob').tasks?.[0]?.id).toBe('3')
    expect(world.no({ type: 'task.update', id: '3', files: ['src/api/x'] }, 'bob').code).toBe('files_overlap')
    world.ok({ type: 'task.complete', id: '3' }, 'bob')
    expect(world.ok(claim(), 'bob').tasks).toEqual([])
    world.ok({ type: 'task.complete', id: '1' }, 'ada')
    expect(world.ok(claim(), 'bob').tasks?.[0]?.id).toBe('2')
  }) // C43, C44, G9

  it('sets an external or human member to working, and its end sets it to idle', () => {
    const world = team()
    world.add('one')
    const status = () => memberNamed(world.state, 'ada')?.status
    world.ok(claim(), 'ada')
    expect(status()).toBe('working')
    world.ok({ type: 'task.release', id: '1' }, 'ada')
    expect(status()).toBe('idle')
  })
})

describe('a lease', () => {
  it('ends the claim with its reason, by the next command any process writes after it expired', () => {
    const world = team()
    world.add('one')
    world.ok(claim('1', 600), 'ada')
    expect(world.task('1').leaseUntil).toBe(1600)
    world.now = 1599.9
    expect(world.no(claim('1'), 'bob').code).toBe('wrong_state')
    world.now = 1600
    expect(world.ok(claim('1'), 'bob').tasks).toMatchObject([
      { owner: 'bob', attempts: 2, ended: [{ owner: 'ada', end: 'lease ended', endedAt: 1600 }] },
    ])
    expect(world.no({ type: 'task.complete', id: '1' }, 'ada').code).toBe('not_owner')
  }) // F24

  it('is renewed by its owner for the same or a new length, and not after it expired', () => {
    const world = team()
    world.add('one')
    world.ok(claim('1', 10), 'ada')
    world.now += 9
    expect(world.ok({ type: 'task.renew', id: '1' }, 'ada').tasks?.[0]?.leaseUntil).toBe(1019)
    world.ok({ type: 'task.renew', id: '1', lease: 100 }, 'ada')
    expect(world.no({ type: 'task.renew', id: '1' }, 'bob').code).toBe('not_owner')
    world.now += 101
    expect(world.no({ type: 'task.renew', id: '1' }, 'ada').code).toBe('wrong_state')
    expect(world.no({ type: 'task.complete', id: '1' }, 'ada').details).toMatchObject({
      lastAttempt: { owner: 'ada', end: 'lease ended' },
    })
  }) // F24

  it('is a positive, finite time', () => {
    const world = team()
    world.add('one')
    for (const lease of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(world.no(claim('1', lease), 'ada').code).toBe('invalid')
    }
    world.ok(claim('1', 10), 'ada')
    for (const lease of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(world.no({ type: 'task.renew', id: '1', lease }, 'ada').code).toBe('invalid')
    }
  }) // F20

  it('is optional: a claim without a lease lasts as long as its owner', () => {
    const world = team()
    world.add('one')
    world.ok(claim('1'), 'ada')
    world.now += 1e9
    expect(world.ok({ type: 'task.renew', id: '1' }, 'ada').note).toContain('no lease')
    world.ok({ type: 'task.complete', id: '1' }, 'ada')
  })
})

describe('the end of a claim', () => {
  it('completes a task by its owner only, keeps result and commit, and reports it once', () => {
    const world = team()
    world.add('one')
    expect(world.no({ type: 'task.complete', id: '1' }, 'ada').code).toBe('wrong_state')
    world.ok(claim('1'), 'ada')
    for (const by of ['bob', 'lead', 'user']) {
      expect(world.no({ type: 'task.complete', id: '1' }, by).details).toMatchObject({ task: '1', owner: 'ada', by })
    }
    world.now += 5
    expect(world.ok({ type: 'task.complete', id: '1', result: 'done', commit: 'abc' }, 'ada').tasks).toMatchObject([
      { status: 'completed', owner: 'ada', result: 'done', commit: 'abc', completedAt: 1005 },
    ])
    expect(world.ok({ type: 'task.complete', id: '1', result: 'other' }, 'ada').note).toContain('already completed')
    expect(world.task('1').result).toBe('done')
    expect(world.no({ type: 'task.complete', id: '1' }, 'bob').code).toBe('not_owner')
  }) // B63, C45, A47

  it('releases a task with its attempt kept; the lead may force it, on record', () => {
    const world = team()
    world.add('one')
    expect(world.ok({ type: 'task.release', id: '1' }, 'ada').note).toBe('Task 1 is not claimed.')
    world.ok(claim('1'), 'ada')
    expect(world.no({ type: 'task.release', id: '1' }, 'bob').code).toBe('not_owner')
    expect(world.no({ type: 'task.release', id: '1' }, 'lead').code).toBe('not_owner')
    expect(world.no({ type: 'task.release', id: '1', force: true }, 'bob').code).toBe('not_allowed')
    world.ok({ type: 'task.release', id: '1', reason: 'lunch' }, 'ada')
    world.ok(claim('1'), 'bob')
    world.ok({ type: 'task.release', id: '1', force: true }, 'lead')
    expect(world.task('1')).toMatchObject({
      status: 'pending',
      owner: null,
      attempts: 2,
      ended: [
        { owner: 'ada', end: 'released', reason: 'lunch' },
        { owner: 'bob', end: 'released', reason: 'forced by lead' },
      ],
    })
    world.ok(claim('1'), 'ada')
    world.ok({ type: 'task.complete', id: '1' }, 'ada')
    expect(world.no({ type: 'task.release', id: '1' }, 'ada').code).toBe('wrong_state')
  }) // F24

  it('fails a task with a reason, and reports to the lead which tasks stay blocked', () => {
    const world = team()
    world.add('one')
    world.add({ subject: 'ten', blockedBy: ['1'] })
    world.add({ subject: 'two', blockedBy: ['1'] })
    expect(world.no({ type: 'task.fail', id: '1', reason: 'x' }, 'ada').code).toBe('wrong_state')
    world.ok(claim('1'), 'ada')
    expect(world.no({ type: 'task.fail', id: '1', reason: ' ' }, 'ada').code).toBe('invalid')
    expect(world.no({ type: 'task.fail', id: '1', reason: 'x' }, 'bob').code).toBe('not_owner')
    expect(world.no({ type: 'task.fail', id: '1', reason: 'x'.repeat(1024 * 1024 + 1) }, 'ada').code).toBe('too_large')
    world.ok({ type: 'task.fail', id: '1', reason: 'no access' }, 'ada')
    expect(world.task('1')).toMatchObject({ status: 'failed', owner: 'ada', reason: 'no access' })
    expect(world.inbox('lead')).toMatchObject([
      {
        type: 'error',
        from: 'ada',
        task: '1',
        content: expect.stringMatching(/failed: no access.*blocked by it: 2, 3/),
      },
    ])
    expect(world.ok({ type: 'task.fail', id: '1', reason: 'again' }, 'ada').note).toContain('already failed')
    expect(world.ok(claim(), 'bob').tasks).toEqual([])
  }) // B66, F6, F24
})
