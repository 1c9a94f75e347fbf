import { describe, expect, it } from 'vitest'
import { type TeamHarness, teamHarness } from '../../testing/harnesses/team-harness.ts'
import { teamView } from '../answers/view.ts'
import { memberNamed } from '../state.ts'
import { memberStatus } from './member.ts'

const spawn = (world: TeamHarness, name: string, runtime = 'elsewhere') =>
  world.ok({ type: 'member.spawn', name, role: 'dev', runtime }).member?.generation ?? 0

const report = (
  world: TeamHarness,
  name: string,
  generation: number,
  status: 'working' | 'idle' | 'waiting_approval',
) => world.report([{ type: 'member.activity', name, generation, status }], { name, generation })

const statusOf = (world: TeamHarness, name: string) => memberNamed(world.state, name)?.status

describe('a team', () => {
  it('is created once, with a lead; creating it again answers that it exists', () => {
    const world = teamHarness('design')
    expect(world.ok({ type: 'team.create', team: 'design' })).toMatchObject({ note: 'Team design already exists.' })
    expect(world.journal).toHaveLength(1)
    expect(teamView(world.state)).toEqual({
      name: 'design',
      description: '',
      members: [{ name: 'lead', role: 'lead', kind: 'agent', status: 'idle', generation: 0 }],
    })
  }) // A58, C14

  it('keeps the description it was created with', () => {
    const world = teamHarness(null)
    const created = world.ok({ type: 'team.create', team: 'api', description: 'Backend, phase 3' })
    expect(created.team?.description).toBe('Backend, phase 3')
  }) // C14

  it('accepts no command, mail or second creation after it was deleted', () => {
    const world = teamHarness()
    world.join('ada')
    expect(world.no({ type: 'team.delete' }, 'ada').code).toBe('not_allowed')
    world.ok({ type: 'team.delete' }, 'lead')
    expect(world.no({ type: 'task.add', tasks: [{ subject: 'late' }] }).code).toBe('team_deleted')
    expect(world.ok({ type: 'team.delete' }).note).toBe('Team web is already deleted.')
    expect(world.no({ type: 'team.create', team: 'web' }).code).toBe('team_deleted')
    expect(world.send({ to: 'ada', content: 'late' })).toMatchObject({ code: 'team_deleted' })
    const message = { id: 'm', type: 'message', from: 'user', to: 'ada', content: 'later', timestamp: 1 } as const
    expect(world.report([{ type: 'message.sent', message }])).toMatchObject([{ outcome: 'bounced' }])
  }) // F32

  it('refuses every command but its creation while it does not exist', () => {
    const world = teamHarness(null)
    expect(world.no({ type: 'member.join', name: 'ada', role: 'dev' }).code).toBe('unknown_team')
    expect(world.no({ type: 'task.claim' }).code).toBe('unknown_team')
  }) // A60
})

describe('a member', () => {
  it('joins with role and kind, and is listed in the order of joining', () => {
    const world = teamHarness()
    world.join('zoe', 'backend')
    world.ok({ type: 'member.join', name: 'ada', role: 'review', kind: 'human' })
    expect(teamView(world.state).members.slice(1)).toEqual([
      { name: 'zoe', role: 'backend', kind: 'external', status: 'idle', generation: 1 },
      { name: 'ada', role: 'review', kind: 'human', status: 'idle', generation: 1 },
    ])
  }) // A61

  it('joins only for itself or by the lead, and not under the name of an agent', () => {
    const world = teamHarness()
    world.join('ada')
    spawn(world, 'bot')
    expect(world.no({ type: 'member.join', name: 'eve', role: 'dev' }, 'ada').code).toBe('not_allowed')
    expect(world.no({ type: 'member.join', name: 'eve', role: 'dev' }, 'eve').code).toBe('unknown_member')
    expect(world.no({ type: 'member.join', name: 'bot', role: 'dev' }).code).toBe('not_allowed')
    expect(world.no({ type: 'member.spawn', name: 'ada', role: 'dev', runtime: 'r' })).toMatchObject({
      code: 'member_busy',
      details: { problem: 'name_taken', member: 'ada', kind: 'external' },
    })
    expect(world.no({ type: 'member.spawn', name: 'eve', role: 'dev', runtime: 'r' }, 'ada').code).toBe('not_allowed')
  }) // A60, F5

  it('changes its role by joining again only while it holds nothing', () => {
    const world = teamHarness()
    world.join('ada')
    world.add('one')
    world.ok({ type: 'task.claim' }, 'ada')
    expect(world.no({ type: 'member.join', name: 'ada', role: 'ops' }).code).toBe('member_busy')
    world.ok({ type: 'task.complete', id: '1' }, 'ada')
    expect(world.ok({ type: 'member.join', name: 'ada', role: 'ops' }).member).toMatchObject({
      role: 'ops',
      generation: 2,
    })
  })

  it('releases its claim and returns unread mail to the senders in one record when it stops', () => {
    const world = teamHarness()
    world.join('ada')
    world.join('bob')
    world.add('one')
    world.ok({ type: 'task.claim' }, 'ada')
    world.send({ to: 'ada', content: 'from bob' }, 'bob')
    world.send({ to: 'ada', content: 'from lead' }, 'lead')
    world.send({ to: 'ada', content: 'from user' })
    const before = world.journal.length
    const { effects, member } = world.ok({ type: 'member.stop', name: 'ada', reason: 'done for today' }, 'ada')
    expect(world.journal).toHaveLength(before + 1)
    expect(member?.status).toBe('stopped')
    expect(effects?.map(({ to, outcome }) => `${to} ${outcome}`)).toEqual(['ada bounced', 'ada bounced', 'ada bounced'])
    expect(world.task('1')).toMatchObject({
      status: 'pending',
      attempts: 1,
      ended: [{ owner: 'ada', end: 'owner left' }],
    })
    expect(world.inbox('ada')).toEqual([])
    expect(world.inbox('bob')).toMatchObject([
      { type: 'error', from: 'ada', content: expect.stringContaining('from bob') },
    ])
    expect(world.inbox('lead')).toHaveLength(1)
    expect(world.inbox('user')).toHaveLength(1)
  }) // F11, F24

  it('does not return bounced mail when it stops, nor mail to a sender that stopped before', () => {
    const world = teamHarness()
    for (const name of ['ada', 'bob', 'eve']) world.join(name)
    world.send({ to: 'ada', content: 'x' }, 'bob')
    world.send({ to: 'ada', content: 'y' }, 'eve')
    world.ok({ type: 'member.stop', name: 'eve' })
    world.ok({ type: 'member.stop', name: 'ada' })
    expect(world.inbox('bob')).toHaveLength(1)
    world.ok({ type: 'member.stop', name: 'bob' })
    expect(['ada', 'bob', 'eve', 'lead', 'user'].flatMap((name) => world.inbox(name))).toEqual([])
  }) // F11

  it('is stopped only by itself, the lead or the user; the lead is never stopped', () => {
    const world = teamHarness()
    world.join('ada')
    world.join('bob')
    expect(world.no({ type: 'member.stop', name: 'ada' }, 'bob').code).toBe('not_allowed')
    expect(world.no({ type: 'member.stop', name: 'lead' }).code).toBe('not_allowed')
    expect(world.no({ type: 'member.stop', name: 'unknown' }).details).toMatchObject({
      members: ['lead', 'ada', 'bob'],
    })
    world.ok({ type: 'member.stop', name: 'ada' }, 'lead')
    expect(world.ok({ type: 'member.stop', name: 'ada' }).note).toBe('ada has already left.')
  }) // A60

  it('may do nothing after it stopped until it joins again as a new generation', () => {
    const world = teamHarness()
    world.join('ada')
    world.add('one')
    world.ok({ type: 'member.stop', name: 'ada' })
    expect(world.no({ type: 'task.claim' }, 'ada').code).toBe('member_stopped')
    expect(world.send({ to: 'lead', content: 'hi' }, 'ada')).toMatchObject({ code: 'member_stopped' })
    expect(world.ok({ type: 'member.join', name: 'ada', role: 'dev' }).member).toMatchObject({
      status: 'idle',
      generation: 2,
    })
    world.ok({ type: 'task.claim' }, 'ada')
  }) // F32, F14

  it('frees its assigned tasks when it stops, also one that is reopened later', () => {
    const world = teamHarness()
    world.join('ada')
    world.add({ subject: 'waiting', assignee: 'ada' })
    world.add({ subject: 'failed', assignee: 'ada', priority: 9 })
    world.ok({ type: 'task.claim' }, 'ada')
    world.ok({ type: 'task.fail', id: '2', reason: 'no idea' }, 'ada')
    world.ok({ type: 'member.stop', name: 'ada' })
    expect(world.task('1').assignee).toBeNull()
    world.ok({ type: 'task.update', id: '2', status: 'pending' })
    world.join('bob')
    expect(world.ok({ type: 'task.claim' }, 'bob').tasks).toMatchObject([{ id: '2', assignee: null }])
  }) // F24
})

describe('an agent', () => {
  it('goes from starting to working and idle by what it reports', () => {
    const world = teamHarness()
    const generation = spawn(world, 'bot')
    expect(statusOf(world, 'bot')).toBe('starting')
    for (const status of ['working', 'idle', 'waiting_approval', 'working'] as const) {
      report(world, 'bot', generation, status)
      expect(statusOf(world, 'bot')).toBe(status)
    }
  }) // A61

  it('is respawned when idle, stopped or lost, and not while it works', () => {
    const world = teamHarness()
    const first = spawn(world, 'bot')
    expect(world.no({ type: 'member.spawn', name: 'bot', role: 'dev', runtime: 'r2' }).code).toBe('member_busy')
    report(world, 'bot', first, 'working')
    expect(world.no({ type: 'member.spawn', name: 'bot', role: 'dev', runtime: 'r2' }).code).toBe('member_busy')
    report(world, 'bot', first, 'idle')
    expect(spawn(world, 'bot')).toBe(2)
    world.ok({ type: 'member.stop', name: 'bot' })
    expect(spawn(world, 'bot')).toBe(3)
    world.ok({ type: 'supervise', runtime: 'here' })
    world.ok({ type: 'member.lose', name: 'bot', reason: 'silent' })
    expect(spawn(world, 'bot')).toBe(4)
  }) // A60, F33

  it('is fenced with an older generation: decisions, mail, acknowledgements and activity', () => {
    const world = teamHarness()
    const old = { name: 'bot', generation: spawn(world, 'bot'), epoch: 0 }
    report(world, 'bot', old.generation, 'idle')
    world.send({ to: 'bot', content: 'for you' })
    const id = world.inbox('bot')[0]?.id ?? ''
    spawn(world, 'bot')
    world.add('one')
    expect(world.no({ type: 'task.claim' }, old).code).toBe('fenced')
    expect(world.send({ to: 'lead', content: 'late' }, old)).toMatchObject({ code: 'fenced' })
    const late = { id: 'late', type: 'message', from: 'bot', to: 'lead', content: 'late', timestamp: 1 } as const
    expect(world.report([{ type: 'message.sent', message: late }], old)).toMatchObject([{ outcome: 'bounced' }])
    const ack = { type: 'message.delivered', member: 'bot', ids: [id], take: null } as const
    expect(world.report([{ ...ack, ids: [id] }], old)).toMatchObject([{ outcome: 'ignored' }])
    report(world, 'bot', old.generation, 'working')
    expect(statusOf(world, 'bot')).toBe('starting')
    expect(world.inbox('bot')).toHaveLength(1)
    expect(world.report([{ ...ack, ids: [id] }], { name: 'bot', generation: 2 })).toMatchObject([
      { outcome: 'delivered' },
    ])
  }) // F14, F32

  it('stays stopped, stopping or lost when a turn of it ends late', () => {
    const world = teamHarness()
    const generation = spawn(world, 'bot')
    world.ok({ type: 'request.open', kind: 'shutdown', to: 'bot', content: 'enough' }, 'lead')
    world.ok({ type: 'request.answer', id: 'r1', approve: true, status: 'clean' }, { name: 'bot', generation })
    expect(statusOf(world, 'bot')).toBe('stopping')
    report(world, 'bot', generation, 'working')
    expect(statusOf(world, 'bot')).toBe('stopping')
    expect(world.no({ type: 'task.claim' }, { name: 'bot', generation }).code).toBe('wrong_state')
    world.ok({ type: 'member.stop', name: 'bot' })
    report(world, 'bot', generation, 'idle')
    expect(statusOf(world, 'bot')).toBe('stopped')
  }) // F32

  it('keeps unread messages but not requests for its next generation', () => {
    const world = teamHarness()
    const generation = spawn(world, 'bot')
    world.send({ to: 'bot', content: 'read me' })
    world.ok({ type: 'request.open', kind: 'shutdown', to: 'bot', content: 'stop now' })
    expect(world.inbox('bot').map(({ type }) => type)).toEqual(['message', 'shutdown_request'])
    report(world, 'bot', generation, 'idle')
    const { effects } = world.ok({ type: 'member.spawn', name: 'bot', role: 'dev', runtime: 'r2' })
    expect(effects).toMatchObject([{ to: 'bot', outcome: 'bounced', reason: 'meant for an earlier generation' }])
    expect(world.inbox('bot')).toMatchObject([{ content: 'read me' }])
  }) // F14

  it('is declared lost by the supervisor only; its task is released with a reason, its mail waits', () => {
    const world = teamHarness()
    const generation = spawn(world, 'bot', 'worker')
    world.add('one')
    world.ok({ type: 'task.claim' }, { name: 'bot', generation })
    world.send({ to: 'bot', content: 'still unread' })
    const lose = { type: 'member.lose', name: 'bot', reason: 'no sign of life' } as const
    expect(world.no(lose).code).toBe('not_allowed')
    world.ok({ type: 'supervise', runtime: 'here' })
    world.ok(lose)
    expect(world.task('1')).toMatchObject({
      status: 'pending',
      owner: null,
      attempts: 1,
      ended: [{ end: 'owner lost' }],
    })
    expect(world.ok(lose).note).toBe('bot is already lost.')
    expect(world.inbox('bot')).toHaveLength(1)
    expect(world.no({ type: 'task.complete', id: '1' }, { name: 'bot', generation }).code).toBe('fenced')
    world.join('ada')
    expect(world.no({ type: 'member.lose', name: 'ada', reason: 'x' }).code).toBe('not_allowed')
  }) // B66, F24
})

describe('a supervisor', () => {
  it('is one process under a growing epoch, replaced only when it is dead or by force', () => {
    const world = teamHarness()
    world.ok({ type: 'supervise', runtime: 'one' })
    expect(world.ok({ type: 'supervise', runtime: 'one' }).note).toContain('already')
    expect(world.no({ type: 'supervise', runtime: 'two' }).code).toBe('supervised')
    world.unknown.add('one')
    expect(world.no({ type: 'supervise', runtime: 'two' }).details).toMatchObject({ runtime: 'one', isUnknown: true })
    world.ok({ type: 'supervise', runtime: 'two', force: true })
    expect(world.state.supervisor.get()).toEqual({ runtime: 'two', epoch: 2 })
    world.gone.add('two')
    world.ok({ type: 'supervise', runtime: 'three' })
    expect(world.state.supervisor.get()).toEqual({ runtime: 'three', epoch: 3 })
  }) // F33

  it('may release the team while its process is alive: idle members wait, busy ones are parked', () => {
    const world = teamHarness()
    world.ok({ type: 'supervise', runtime: 'one' })
    const [busy, resting] = [spawn(world, 'busy', 'one'), spawn(world, 'resting', 'one')]
    const elsewhere = spawn(world, 'elsewhere', 'two')
    world.add('dig')
    world.ok({ type: 'task.claim' }, { name: 'busy', generation: busy })
    report(world, 'resting', resting, 'idle')
    expect(world.ok({ type: 'supervise.end', runtime: 'two' }).note).toContain('does not supervise')
    expect(world.no({ type: 'supervise.end', runtime: 'one' }, { name: 'busy', generation: busy }).code).toBe(
      'not_allowed',
    )
    world.ok({ type: 'supervise.end', runtime: 'one', reason: 'the budget is used up' })
    expect(world.state.supervisor.get()).toEqual({ runtime: null, epoch: 1 })
    expect(memberNamed(world.state, 'busy')).toMatchObject({
      status: 'idle',
      runtime: null,
      parked: 'the budget is used up',
    })
    report(world, 'busy', busy, 'working')
    expect(memberNamed(world.state, 'busy'), 'a late report brings no member back').toMatchObject({ status: 'idle' })
    expect(memberNamed(world.state, 'resting')).toMatchObject({ status: 'idle', runtime: null })
    expect(memberNamed(world.state, 'elsewhere')).toMatchObject({ generation: elsewhere, runtime: 'two' })
    expect(world.task('1')).toMatchObject({ status: 'pending', ended: [{ end: 'owner parked' }] })
    world.ok({ type: 'supervise', runtime: 'two' })
    expect(world.state.supervisor.get()).toEqual({ runtime: 'two', epoch: 2 })
  }) // F24, F33, T34
})

describe('names of states', () => {
  it('are ours, and the older names are accepted', () => {
    expect(['active', 'shutdown', 'stop', 'disappeared', 'idle'].map(memberStatus)).toEqual([
      'working',
      'stopped',
      'stopped',
      'lost',
      'idle',
    ])
    expect(['banana', 'constructor', '__proto__', ''].map(memberStatus)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  }) // A61
})

describe('an agent that does one task', () => {
  it('holds its claim, and is in no roster, gets no mail and takes no assignment', () => {
    const world = teamHarness()
    world.join('ada')
    world.ok({ type: 'task.add', tasks: [{ subject: 'Critique' }, { subject: 'Later' }] })
    const profile = { agentType: 'errand', model: null, requirePlan: false }
    const spawned = {
      type: 'member.spawn',
      name: 'critic-1',
      role: 'critic',
      runtime: 'here',
      profile,
      task: '1',
    } as const
    world.ok(spawned)
    expect(world.state.tasks.get('1')).toMatchObject({ status: 'in_progress', owner: 'critic-1' })
    expect(teamView(world.state).members.map(({ name }) => name)).toEqual(['lead', 'ada'])
    expect(world.send({ to: 'critic-1', content: 'Hello' }, 'ada')).toMatchObject({
      code: 'unknown_member',
      details: { members: ['lead', 'ada'] },
    })
    expect(world.send({ to: 'all', content: 'Hello' }, 'lead')).toMatchObject([{ to: 'ada' }])
    expect(world.no({ type: 'task.update', id: '2', assignee: 'critic-1' }, 'lead').code).toBe('unknown_member')
    expect(world.no({ type: 'request.open', kind: 'shutdown', to: 'critic-1', content: '' }, 'lead').code).toBe(
      'unknown_member',
    )
  }) // C17
})
