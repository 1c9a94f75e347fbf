import { describe, expect, it } from 'vitest'
import { type TeamHarness, teamHarness } from '../../testing/harnesses/team-harness.ts'
import { unreadOf } from '../state.ts'

/** Agents of one team, each idle; they act as their generation. */
function agents(...names: string[]) {
  const world = teamHarness()
  for (const name of names) {
    world.ok({ type: 'member.spawn', name, role: 'dev', runtime: 'here' })
    report(world, name, 'idle')
  }
  return world
}

const as = (name: string) => ({ name, generation: 1 })
const report = (world: TeamHarness, name: string, status: 'working' | 'idle') =>
  world.report([{ type: 'member.activity', name, generation: 1, status }], as(name))
const claim = (world: TeamHarness, name: string, id?: string) => {
  report(world, name, 'working')
  return world.ok({ type: 'task.claim', ...(id !== undefined && { id }) }, as(name))
}
const complete = (id: string, more: object = {}) => ({ type: 'task.complete', id, next: true, ...more }) as const
const fail = (id: string) => ({ type: 'task.fail', id, reason: 'too hard', next: true }) as const

describe('a hand-over', () => {
  it('completes a task and claims the next one in one record', () => {
    const world = agents('ada')
    for (const subject of ['one', 'two', 'three']) world.add(subject)
    claim(world, 'ada')
    expect(world.ok(complete('1', { result: 'done' }), as('ada'))).toMatchObject({
      tasks: [{ id: '1', status: 'completed' }],
      next: { id: '2', status: 'in_progress', owner: 'ada', attempts: 1 },
    })
    expect(world.journal.at(-1)?.events).toEqual([
      { type: 'task.completed', id: '1', result: 'done', commit: null },
      { type: 'task.claimed', id: '2', owner: 'ada', generation: 1, lease: null },
    ])
    expect(world.task('3').status).toBe('pending')
  })

  it('takes what the completed task was in the way of: files and dependencies', () => {
    const world = agents('ada')
    world.add({ subject: 'one', files: ['src/a.ts'] })
    world.add({ subject: 'two', files: ['src/'], blockedBy: ['1'], priority: 9 })
    world.add('three')
    claim(world, 'ada')
    expect(world.ok(complete('1'), as('ada')).next).toMatchObject({ id: '2' })
  })

  it('follows the rules of a claim: assignments first, no other role, no file in use', () => {
    const world = agents('ada', 'bob')
    world.add('one')
    world.add({ subject: 'bobs', files: ['src/'] })
    claim(world, 'bob', '2')
    claim(world, 'ada', '1')
    world.add({ subject: 'of a tester', role: 'tester' })
    world.add({ subject: 'in use', files: ['src/a.ts'] })
    world.add('open')
    world.add({ subject: 'assigned', assignee: 'ada' }, 'lead')
    expect(world.ok(complete('1'), as('ada')).next).toMatchObject({ id: '6' })
    expect(world.ok(complete('6'), as('ada')).next).toMatchObject({ id: '5' })
    expect(world.ok(complete('5'), as('ada')).next).toBeNull()
  })

  it('gives nothing without being asked for', () => {
    const world = agents('ada')
    world.add('one')
    world.add('two')
    claim(world, 'ada')
    expect(world.ok({ type: 'task.complete', id: '1' }, as('ada'))).not.toHaveProperty('next')
    expect(world.task('2').status).toBe('pending')
  })

  it('leaves a task for any member to an idle agent that never had one', () => {
    const world = agents('ada', 'bob', 'eve')
    world.add('one')
    claim(world, 'ada')
    for (const subject of ['two', 'three', 'four']) world.add(subject)
    expect(world.ok(complete('1'), as('ada')).next).toMatchObject({ id: '4' })
    claim(world, 'bob')
    claim(world, 'eve')
    expect([world.task('2').owner, world.task('3').owner]).toEqual(['bob', 'eve'])
  })

  it('leaves nothing to an agent that works, had a task, is asked to stop, or is parked', () => {
    const world = agents('ada', 'busy', 'had', 'asked', 'parked')
    for (const subject of ['one', 'two']) world.add(subject)
    claim(world, 'ada')
    claim(world, 'had')
    world.ok({ type: 'task.release', id: '2' }, as('had'))
    report(world, 'had', 'idle')
    report(world, 'busy', 'working')
    world.ok({ type: 'request.open', kind: 'shutdown', to: 'asked', content: 'Stop.' }, 'lead')
    world.fold({ events: [{ type: 'member.parked', name: 'parked', generation: 1, reason: 'its run ended' }] })
    world.join('script')
    expect(world.ok(complete('1'), as('ada')).next).toMatchObject({ id: '2' })
  })

  it('leaves nothing to the lead, or to an agent that has a task of its own role to begin with', () => {
    const world = agents('ada')
    world.ok({ type: 'supervise', runtime: 'here' })
    world.ok({ type: 'member.spawn', name: 'lead', role: 'lead', runtime: 'here' })
    report(world, 'lead', 'idle')
    world.ok({ type: 'member.spawn', name: 'tess', role: 'tester', runtime: 'here' })
    report(world, 'tess', 'idle')
    world.add('one')
    claim(world, 'ada')
    world.add({ subject: 'of a tester', role: 'tester', priority: 9 })
    world.add('open')
    expect(world.ok(complete('1'), as('ada')).next).toMatchObject({ id: '3' })
  })

  it('leaves a task that is assigned to the member, or for its role, to no other', () => {
    const world = agents('ada', 'bob')
    world.add('one')
    claim(world, 'ada')
    world.add({ subject: 'for devs', role: 'dev' })
    expect(world.ok(complete('1'), as('ada')).next).toMatchObject({ id: '2' })
    world.add({ subject: 'for ada', assignee: 'ada' }, 'lead')
    expect(world.ok(complete('2'), as('ada')).next).toMatchObject({ id: '3' })
  })

  it('gives the lead no task', () => {
    const world = agents('ada')
    world.add('one')
    world.add('two')
    world.ok({ type: 'task.claim', id: '1' }, 'lead')
    report(world, 'ada', 'working')
    expect(world.ok(complete('1'), 'lead').next).toBeNull()
    expect(world.task('2').status).toBe('pending')
  })

  it('gives a member that is asked to stop, or agreed to it, no task', () => {
    const world = agents('ada')
    for (const subject of ['one', 'two', 'three']) world.add(subject)
    claim(world, 'ada')
    world.ok({ type: 'request.open', kind: 'shutdown', to: 'ada', content: 'Stop.' }, 'lead')
    expect(world.ok(complete('1'), as('ada')).next).toBeNull()
    const own = { type: 'task.claim', isHandOver: true } as const
    expect(world.ok(own, as('ada'))).toMatchObject({ tasks: [], note: 'No task is handed over.' })
    world.ok({ type: 'task.claim' }, as('ada'))
    world.ok({ type: 'request.answer', id: 'r1', approve: true }, as('ada'))
    expect(world.ok(complete('2'), as('ada')).next).toBeNull()
  })

  it('follows a failure, but not two in a row; a completed task begins the count anew', () => {
    const world = agents('ada')
    for (const subject of ['one', 'two', 'three', 'four', 'five']) world.add(subject)
    claim(world, 'ada')
    expect(world.ok(fail('1'), as('ada')).next).toMatchObject({ id: '2' })
    expect(world.ok(fail('2'), as('ada')).next).toBeNull()
    claim(world, 'ada')
    expect(world.ok(complete('3'), as('ada')).next).toMatchObject({ id: '4' })
    expect(world.ok(fail('4'), as('ada')).next).toMatchObject({ id: '5' })
  })

  it('does not follow when another member than the owner ends the task', () => {
    const world = agents('ada', 'bob')
    for (const subject of ['one', 'two']) world.add(subject)
    claim(world, 'ada', '1')
    report(world, 'bob', 'working')
    expect(world.ok(fail('1'), 'lead').next).toBeNull()
    claim(world, 'ada', '2')
    expect(world.ok(fail('2'), 'user').next).toBeNull()
    expect(world.state.index.holding.size).toBe(0)
  })

  it('gives a script the next task with the lease of the last one', () => {
    const world = teamHarness()
    world.join('ci')
    world.add('one')
    world.add('two')
    world.ok({ type: 'task.claim', lease: 60 }, 'ci')
    world.now = 1050
    expect(world.ok(complete('1'), 'ci').next).toMatchObject({ id: '2', leaseUntil: 1110 })
  })

  it('gives nothing when the task cannot be completed before its plan is approved', () => {
    const world = teamHarness()
    const profile = { agentType: null, model: null, requirePlan: true }
    world.ok({ type: 'member.spawn', name: 'ada', role: 'dev', runtime: 'here', profile })
    world.add('one')
    world.add('two')
    claim(world, 'ada')
    expect(world.no(complete('1'), as('ada')).code).toBe('plan_gate')
    expect(world.task('2').status).toBe('pending')
  })
})

describe('the result of a completed task', () => {
  it('goes to the lead in the record of the completion, once for each of two at once', () => {
    const world = agents('ada', 'bob')
    world.add('one')
    world.add('two')
    claim(world, 'ada', '1')
    claim(world, 'bob', '2')
    world.ok(complete('1', { result: 'a', report: 'a' }), as('ada'))
    world.ok(complete('2', { result: 'b', report: 'b' }), as('bob'))
    const results = unreadOf(world.state, 'lead').map(({ message }) => message)
    expect(results).toMatchObject([
      { type: 'result', from: 'ada', content: 'a', task: '1' },
      { type: 'result', from: 'bob', content: 'b', task: '2' },
    ])
  })
})
