import { describe, expect, it } from 'vitest'
import { type TeamHarness, teamHarness } from '../../testing/harnesses/team-harness.ts'
import type { RequestKind } from '../request.ts'
import { memberNamed } from '../state.ts'

const team = () => {
  const world = teamHarness()
  world.join('ada')
  world.join('bob')
  return world
}

const open = (kind: RequestKind, to: string, deadline?: number) =>
  ({ type: 'request.open', kind, to, content: 'please', deadline }) as const

const answer = (id: string, approve = true) => ({ type: 'request.answer', id, approve, feedback: 'because' }) as const

const stateOf = (world: TeamHarness, id: string) => world.state.requests.get(id)?.state

describe('a request', () => {
  it('keeps id, sender, recipient and deadline, for each kind, until one answer ends it', () => {
    const world = team()
    world.ok({ type: 'supervise', runtime: 'here' })
    for (const [i, kind] of (['plan_approval', 'permission', 'budget'] as const).entries()) {
      const id = `r${i + 1}`
      expect(world.ok(open(kind, 'lead', 60), 'ada').request).toEqual({
        id,
        kind,
        from: 'ada',
        fromGeneration: 1,
        to: 'lead',
        toGeneration: 0,
        content: 'please',
        assignment: null,
        openedAt: 1000,
        deadline: 1060,
        state: 'pending',
      })
      expect(world.ok(answer(id, kind !== 'budget'), 'lead').request).toMatchObject({
        state: kind === 'budget' ? 'rejected' : 'approved',
        by: 'lead',
        feedback: 'because',
        closedAt: 1000,
      })
    }
    expect(world.ok(open('shutdown', 'ada'), 'lead').request).toMatchObject({ id: 'r4', deadline: 1030 })
    expect(world.ok(answer('r4', false), 'ada').request).toMatchObject({ state: 'rejected', by: 'ada' })
  }) // B43, F28, B20

  it('is answered where the team runs and ends with the asking process, if it is about a permission', () => {
    const world = team()
    world.ok({ type: 'supervise', runtime: 'elsewhere' })
    world.ok(open('permission', 'user'), 'ada')
    expect(world.no(answer('r1')).details).toEqual({ problem: 'permission_elsewhere', request: 'r1' })
    world.ok(answer('r1', false))
    const spawn = { type: 'member.spawn', name: 'lead', role: 'lead', runtime: 'elsewhere' } as const
    world.ok(spawn)
    world.ok(open('permission', 'user'), { name: 'lead', generation: 1 })
    world.ok(open('plan_approval', 'lead'), 'bob')
    world.ok(spawn)
    world.ok({ type: 'member.join', name: 'cy', role: 'dev' })
    expect([stateOf(world, 'r1'), stateOf(world, 'r2'), stateOf(world, 'r3')]).toEqual(['rejected', 'void', 'pending'])
  })

  it('is withdrawn only by its sender', () => {
    const world = team()
    world.ok(open('plan_approval', 'lead'), 'ada')
    const back = { type: 'request.withdraw', id: 'r1', reason: 'I know better now' } as const
    expect(world.no(back, 'bob').code).toBe('not_allowed')
    expect(world.ok(back, 'ada').request).toMatchObject({ state: 'void', reason: 'I know better now' })
    expect(world.ok(back, 'ada').note).toContain('over already')
    expect(world.no({ ...back, id: 'r9' }).code).toBe('unknown_request')
    expect(world.no(answer('r1'), 'lead').code).toBe('stale')
  })

  it('is delivered as mail, and so is its answer, if it is about a shutdown or a plan', () => {
    const world = team()
    world.ok(open('shutdown', 'ada'), 'lead')
    expect(world.inbox('ada')).toMatchObject([
      { type: 'shutdown_request', from: 'lead', request_id: 'r1', deadline: 1030 },
    ])
    world.ok({ ...answer('r1'), status: 'clean', pendingWork: ['docs'], artifactsCommitted: true }, 'ada')
    expect(world.inbox('lead')).toMatchObject([
      {
        type: 'shutdown_response',
        from: 'ada',
        request_id: 'r1',
        approve: true,
        status: 'clean',
        content: expect.stringMatching(/^because; status: clean, pending work: docs, artifacts committed: yes/),
      },
    ])
    expect(memberNamed(world.state, 'ada')?.status).toBe('stopping')
    world.ok(open('plan_approval', 'lead'), 'bob')
    expect(world.inbox('lead').at(-1)).toMatchObject({ type: 'plan_approval_request', from: 'bob', request_id: 'r2' })
    world.ok(answer('r2', false), 'user')
    expect(world.inbox('bob')).toMatchObject([{ type: 'plan_approval_response', from: 'user', approve: false }])
    const before = world.inbox('lead').length
    world.ok(open('permission', 'lead'), 'bob')
    expect(world.inbox('lead')).toHaveLength(before)
  }) // A66, F6, B20

  it('is answered only by its recipient; the user may answer for the lead', () => {
    const world = team()
    world.ok(open('plan_approval', 'lead'), 'ada')
    world.ok(open('plan_approval', 'user'), 'bob')
    world.ok(open('shutdown', 'bob'), 'lead')
    for (const by of ['ada', 'bob']) expect(world.no(answer('r1'), by).code).toBe('not_allowed')
    expect(world.no(answer('r2'), 'lead').code).toBe('not_allowed')
    for (const by of ['lead', 'user', 'ada']) expect(world.no(answer('r3'), by).code).toBe('not_allowed')
    expect(world.no(answer('r9'), 'lead').code).toBe('unknown_request')
    expect(world.no(answer('__proto__'), 'lead').code).toBe('unknown_request')
    world.ok(answer('r1'), 'user')
    world.ok(answer('r2'), 'user')
    world.ok(answer('r3'), 'BOB')
  }) // B68, F29

  it('has one answer: a second is refused, and a second in the journal changes nothing', () => {
    const world = team()
    world.ok(open('plan_approval', 'lead'), 'ada')
    world.ok(answer('r1', false), 'lead')
    expect(world.no(answer('r1'), 'lead').code).toBe('wrong_state')
    const again = {
      type: 'request.answered',
      id: 'r1',
      by: 'lead',
      approve: true,
      feedback: '',
      status: null,
      pendingWork: [],
      artifactsCommitted: null,
    }
    world.fold({ events: [again, { type: 'request.closed', id: 'r1', state: 'timed_out', reason: 'x' }] })
    expect(world.state.requests.get('r1')).toMatchObject({ state: 'rejected', feedback: 'because' })
  }) // B68, F29

  it('is timed out by the next command of any process after its deadline', () => {
    const world = team()
    world.ok(open('shutdown', 'ada'), 'lead')
    world.now += 29
    world.add('something')
    expect(stateOf(world, 'r1')).toBe('pending')
    world.now += 1
    expect(world.no(answer('r1'), 'ada')).toMatchObject({
      code: 'wrong_state',
      details: { problem: 'request_answered', state: 'timed_out' },
    })
    expect(stateOf(world, 'r1')).toBe('pending')
    world.add('something else')
    expect(world.state.requests.get('r1')).toMatchObject({ state: 'timed_out', closedAt: 1030 })
  }) // F28

  it('is void when its sender or recipient stopped or has a new generation', () => {
    const world = team()
    world.ok(open('plan_approval', 'lead'), 'ada')
    world.ok(open('shutdown', 'bob'), 'lead')
    world.ok({ type: 'member.stop', name: 'ada' })
    world.ok({ type: 'member.join', name: 'bob', role: 'ops' })
    world.ok({ type: 'member.join', name: 'ada', role: 'dev' })
    expect(world.no(answer('r1'), 'lead').code).toBe('stale')
    expect(world.no(answer('r2'), 'bob').code).toBe('stale')
    world.add('any write')
    expect([stateOf(world, 'r1'), stateOf(world, 'r2')]).toEqual(['void', 'void'])
  }) // B68, F14, F29

  it('is about one assignment: an approval after release, new claim or completion is too late', () => {
    const world = team()
    world.add('one')
    world.ok({ type: 'task.claim' }, 'ada')
    world.ok(open('plan_approval', 'lead'), 'ada')
    expect(world.state.requests.get('r1')?.assignment).toEqual({ task: '1', attempt: 1 })
    world.send({ to: 'ada', content: 'ordinary talk changes nothing' })
    world.ok({ type: 'task.release', id: '1' }, 'ada')
    expect(world.no(answer('r1'), 'lead')).toMatchObject({
      code: 'stale',
      details: { reason: expect.stringContaining('earlier assignment') },
    })
    world.ok({ type: 'task.claim' }, 'ada')
    expect(stateOf(world, 'r1')).toBe('void')
    world.ok(open('plan_approval', 'lead'), 'ada')
    world.ok(answer('r2'), 'lead')
    world.ok(open('permission', 'lead'), 'ada')
    world.ok({ type: 'task.complete', id: '1' }, 'ada')
    expect(world.no(answer('r3'), 'lead').code).toBe('stale')
  }) // B68, F29

  it('is void together with a claim whose lease ends, in the same record', () => {
    const world = team()
    world.add('one')
    world.ok({ type: 'task.claim', lease: 10 }, 'ada')
    world.ok(open('plan_approval', 'lead'), 'ada')
    world.now += 10
    world.add('two')
    expect(world.journal.at(-1)?.events).toMatchObject([
      { type: 'task.released', id: '1', end: 'lease ended' },
      { type: 'request.closed', id: 'r1', state: 'void' },
      { type: 'task.created' },
    ])
  }) // B68, F24

  it('is refused where it makes no sense', () => {
    const world = team()
    expect(world.no(open('shutdown', 'bob'), 'ada').code).toBe('not_allowed')
    expect(world.no(open('shutdown', 'lead')).code).toBe('invalid')
    expect(world.no(open('shutdown', 'user'), 'lead').code).toBe('invalid')
    expect(world.no(open('plan_approval', 'bob'), 'ada').code).toBe('invalid')
    expect(world.no(open('permission', 'lead'), 'lead').code).toBe('invalid')
    expect(world.no(open('shutdown', 'unknown')).code).toBe('unknown_member')
    for (const deadline of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(world.no(open('shutdown', 'ada', deadline)).code).toBe('invalid')
    }
    world.ok(open('shutdown', 'ada'))
    expect(world.no(open('shutdown', 'ada')).code).toBe('wrong_state')
    world.ok(open('permission', 'lead'), 'ada')
    world.ok(open('permission', 'lead'), 'ada')
    expect(world.no({ ...answer('r1'), approve: 'yes' as unknown as boolean }, 'ada').code).toBe('invalid')
  }) // F29

  it('has at most 1 MB, and so has its answer, since both become mail', () => {
    const world = team()
    const long = 'x'.repeat(1024 * 1024 + 1)
    expect(world.run({ ...open('plan_approval', 'lead'), content: long }, 'ada')).toMatchObject({
      code: 'too_large',
    })
    world.ok(open('plan_approval', 'lead'), 'ada')
    expect(world.run({ ...answer('r1'), feedback: long }, 'lead')).toMatchObject({ code: 'too_large' })
  }) // F15

  it('stays open when the lead restarts: a resumed team finds its requests', () => {
    const world = teamHarness()
    world.join('ada')
    world.ok({ type: 'request.open', kind: 'plan_approval', to: 'lead', content: 'my plan' }, 'ada')
    world.ok({ type: 'member.spawn', name: 'lead', role: 'lead', runtime: 'r2' })
    expect(world.inbox('lead')).toHaveLength(1)
    expect(world.ok({ type: 'request.answer', id: 'r1', approve: true }).request?.state).toBe('approved')
  }) // F28
})
