import { describe, expect, it } from 'vitest'
import { type TeamHarness, teamHarness } from '../../testing/harnesses/team-harness.ts'
import type { MessageDraft } from '../command.ts'
import type { EventOf } from '../event.ts'
import { isCapped, isControl, isDerived, MESSAGE_BYTES, MessageType, messageType, UNREAD_CAP } from '../message.ts'
import { isRefusal } from '../refusal.ts'

const trio = () => {
  const world = teamHarness()
  for (const name of ['ada', 'bob', 'eve']) world.join(name)
  return world
}

const outcomes = (sent: ReturnType<TeamHarness['send']>) =>
  isRefusal(sent) ? sent.code : sent.map(({ to, outcome }) => `${to} ${outcome}`).join(', ')

const contents = (world: TeamHarness, name: string) => world.inbox(name).map(({ content }) => content)

const external = (to: string, type: MessageType, offset = 0, archive = 'a1'): EventOf<'external.received'> => ({
  type: 'external.received',
  archive,
  offset,
  end: offset + 10,
  message: { id: `${archive}:${offset}`, type, from: 'ci', to, content: 'build is red', timestamp: 1 },
})

describe('a message', () => {
  it('reaches its recipient with id, type, sender, text and time, in the order of the log', () => {
    const world = trio()
    expect(outcomes(world.send({ to: 'bob', content: 'one' }, 'ada'))).toBe('bob queued')
    world.now += 0.5
    world.send({ to: 'bob', content: 'two' }, 'lead')
    world.send({ to: 'bob', content: 'three' })
    expect(world.inbox('bob')[1]).toEqual({
      id: expect.any(String),
      type: 'message',
      from: 'lead',
      to: 'bob',
      content: 'two',
      timestamp: 1000.5,
    })
    expect(contents(world, 'bob')).toEqual(['one', 'two', 'three'])
  }) // A64, A67, A69, F15

  it('is refused for an unknown or stopped recipient, with the names of present members', () => {
    const world = trio()
    world.ok({ type: 'member.stop', name: 'eve' })
    expect(world.send({ to: 'zoe', content: 'x' })).toEqual({
      code: 'unknown_member',
      details: { name: 'zoe', members: ['lead', 'ada', 'bob'] },
    })
    expect(world.send({ to: 'eve', content: 'x' })).toMatchObject({
      code: 'member_stopped',
      details: { members: ['lead', 'ada', 'bob'] },
    })
    expect(world.send({ to: 'ada', content: 'x' }, 'ada')).toMatchObject({ code: 'invalid' })
    expect(world.send({ to: 'ada', content: 'x' }, 'zoe')).toMatchObject({ code: 'unknown_member' })
    expect(world.send({ to: 'ada', content: '' })).toMatchObject({ code: 'invalid' })
  }) // A67, B55, F13

  it('reaches the lead and the user too', () => {
    const world = trio()
    world.ok({ type: 'member.spawn', name: 'bot', role: 'dev', runtime: 'r1' })
    const bot = { name: 'bot', generation: 1 }
    expect(outcomes(world.send({ to: 'lead', content: 'done', type: 'result' }, bot))).toBe('lead queued')
    expect(outcomes(world.send({ to: 'user', content: 'ready' }, 'ada'))).toBe('user queued')
    expect(world.inbox('lead')[0]).toMatchObject({ type: 'result', from: 'bot' })
  }) // F6, A66

  it('has one of a closed set of types; another type is refused with the list', () => {
    const world = trio()
    const talk = MessageType.options.filter((type) => isCapped(type) && !isDerived(type) && type !== 'broadcast')
    for (const type of talk) expect(outcomes(world.send({ to: 'bob', content: 'x', type }, 'ada'))).toBe('bob queued')
    for (const type of ['banana', '', 'constructor', 'Message', 'broad cast']) {
      const refused = world.send({ to: 'bob', content: 'x', type: type as MessageType }, 'ada')
      expect(refused).toMatchObject({ code: 'invalid', details: { problem: 'message_type' } })
    }
    expect(world.inbox('bob')).toHaveLength(talk.length)
  }) // A65

  it('is refused from a caller if only the runtime may send its type', () => {
    const world = trio()
    for (const type of ['result', 'idle_notification', 'error'] as const) {
      expect(world.send({ to: 'lead', content: 'done', type }, 'ada')).toMatchObject({ code: 'not_allowed' })
    }
    expect(world.inbox('lead')).toEqual([])
  }) // F5

  it('is refused if its type asks for or answers a request: the request sends it', () => {
    const world = trio()
    for (const type of MessageType.options.filter(isControl)) {
      expect(world.send({ to: 'bob', content: 'x', type }, 'lead')).toMatchObject({ code: 'invalid' })
    }
    expect(messageType('plan_approval')).toBe('plan_approval_request')
    expect(messageType('banana')).toBeUndefined()
    expect(messageType('__proto__')).toBeUndefined()
  }) // A66, F29

  it('is signed by the runtime: extra fields overwrite none of its own', () => {
    const world = trio()
    const extra = { from: 'lead', id: 'mine', type: 'result', to: 'eve', content: 'forged', timestamp: 0, file: 'a.ts' }
    world.send({ to: 'bob', content: 'true', extra } as MessageDraft, 'ada')
    expect(world.inbox('bob')).toMatchObject([
      { from: 'ada', to: 'bob', type: 'message', content: 'true', file: 'a.ts' },
    ])
    expect(world.inbox('bob')[0]?.id).not.toBe('mine')
  }) // F5

  it('carries any text whole, up to 1 MB', () => {
    const world = trio()
    const text = 'line\nbreak "quote" \\ back \u2028 \u0000 \t 😀 名前 \ud800'
    world.send({ to: 'bob', content: text }, 'ada')
    expect(contents(world, 'bob')).toEqual([text])
    expect(outcomes(world.send({ to: 'bob', content: 'x'.repeat(MESSAGE_BYTES) }, 'ada'))).toBe('bob queued')
    expect(outcomes(world.send({ to: 'bob', content: 'é'.repeat(MESSAGE_BYTES / 2 + 1) }, 'ada'))).toBe('too_large')
  }) // F9, F15

  it('is in a mailbox once, however often its id is sent', () => {
    const world = trio()
    const message = { id: 'same', type: 'message', from: 'ada', to: 'bob', content: 'once', timestamp: 1 } as const
    const again = () => world.report([{ type: 'message.sent', message }], 'ada')
    expect(outcomes(again())).toBe('bob queued')
    expect(outcomes(again())).toBe('bob ignored')
    expect(world.inbox('bob')).toHaveLength(1)
  }) // F15

  it('never replaces another unread message, whatever id its sender chose', () => {
    const world = trio()
    world.run({ type: 'request.open', kind: 'shutdown', to: 'bob', content: 'stop' }, 'lead', 'x')
    expect(world.inbox('bob')).toMatchObject([{ id: 'x.mail' }])
    expect(outcomes(world.send({ to: 'bob', content: 'erased' }, 'ada', 'x.mail'))).toBe('bob ignored')
    expect(world.inbox('bob')).toMatchObject([{ type: 'shutdown_request' }])
  }) // F1, F15
})

describe('a broadcast', () => {
  it('goes to all present members but its sender, whatever its recipient says', () => {
    const world = trio()
    world.ok({ type: 'member.stop', name: 'eve' })
    for (const to of ['all', 'anyone', '']) {
      expect(outcomes(world.send({ to, content: 'hi', type: 'broadcast' }, 'ada'))).toBe('lead queued, bob queued')
    }
    expect(outcomes(world.send({ to: 'ALL', content: 'short form' }))).toBe('lead queued, ada queued, bob queued')
    expect(world.inbox('ada')).toMatchObject([{ type: 'broadcast', to: 'all' }])
  }) // A68

  it('goes to the roster at its place in the log, with one outcome per recipient', () => {
    const world = trio()
    const message = { id: 'm', type: 'broadcast', from: 'ada', to: 'all', content: 'hi', timestamp: 1 } as const
    world.ok({ type: 'member.stop', name: 'bob' })
    world.join('zoe')
    const effects = world.report([{ type: 'message.sent', message }], 'ada')
    expect(effects.map(({ to, outcome }) => `${to} ${outcome}`)).toEqual(['lead queued', 'eve queued', 'zoe queued'])
  }) // A68, F13

  it('is read by each recipient separately', () => {
    const world = trio()
    world.send({ to: 'all', content: 'hi' }, 'ada', 'm')
    world.report([{ type: 'message.delivered', member: 'bob', ids: ['m'], take: null }])
    expect(world.inbox('bob')).toEqual([])
    expect(world.inbox('eve')).toHaveLength(1)
  }) // A69
})

describe('a mailbox', () => {
  it('holds 10,000 unread messages; more bounce for that member only, requests and facts never', () => {
    const world = trio()
    const message = { type: 'message', from: 'ada', to: 'bob', content: 'x', timestamp: 1 } as const
    const flood = (id: number) => ({ type: 'message.sent', message: { ...message, id: `f${id}` } }) as const
    world.fold({ events: Array.from({ length: UNREAD_CAP }, (_, id) => flood(id)) })
    expect(outcomes(world.send({ to: 'bob', content: 'one more' }, 'ada'))).toBe('bob bounced')
    expect(outcomes(world.send({ to: 'all', content: 'hi' }, 'ada'))).toBe('lead queued, bob bounced, eve queued')
    const fact = { ...message, type: 'error', from: 'lead', id: 'fact' } as const
    expect(outcomes(world.report([{ type: 'message.sent', message: fact }], 'lead'))).toBe('bob queued')
    world.ok({ type: 'request.open', kind: 'shutdown', to: 'bob', content: 'stop' })
    expect(world.inbox('bob').at(-1)?.type).toBe('shutdown_request')
    expect(outcomes(world.report([external('bob', 'message')]))).toBe('bob bounced')
    expect(outcomes(world.report([external('bob', 'shutdown_request', 10)]))).toBe('bob bounced')
    world.report([{ type: 'message.delivered', member: 'bob', ids: ['f0', 'f1', 'f2'], take: null }])
    expect(outcomes(world.send({ to: 'bob', content: 'space again' }, 'ada'))).toBe('bob queued')
    expect(MessageType.options.filter((type) => !isCapped(type))).toHaveLength(7)
  }) // F15

  it('keeps every message when it is only listed', () => {
    const world = trio()
    world.send({ to: 'bob', content: 'x' }, 'ada')
    const before = world.journal.length
    expect(world.inbox('bob')).toEqual(world.inbox('bob'))
    expect(world.journal).toHaveLength(before)
  }) // F12

  it('is not created by mail to an unknown name', () => {
    const world = trio()
    const message = { id: 'm', type: 'message', from: 'ada', to: '../escape', content: 'x', timestamp: 1 } as const
    expect(world.report([{ type: 'message.sent', message }])).toMatchObject([
      { outcome: 'bounced', reason: 'no member is called ../escape' },
    ])
    expect(world.inbox('../escape')).toEqual([])
  }) // F13, B55
})

describe('taking mail', () => {
  const take = (world: TeamHarness, taker: string, limit?: number, by = 'user') =>
    world.ok({ type: 'mail.take', member: 'bob', taker, limit }, by).mail

  const acknowledge = (world: TeamHarness, mail: ReturnType<typeof take>, by = 'user') =>
    world.report(
      [
        {
          type: 'message.delivered',
          member: 'bob',
          ids: mail?.messages.map(({ id }) => id) ?? [],
          take: mail?.take ?? '',
        },
      ],
      by,
    )

  it('assigns messages in order to one reader; they are read when it acknowledges them', () => {
    const world = trio()
    for (const content of ['one', 'two', 'three']) world.send({ to: 'bob', content }, 'ada')
    const first = take(world, 'p1', 2)
    expect(first?.messages.map(({ content }) => content)).toEqual(['one', 'two'])
    const second = take(world, 'p2')
    expect(second?.messages.map(({ content }) => content)).toEqual(['three'])
    expect(world.ok({ type: 'mail.take', member: 'bob', taker: 'p3' })).toMatchObject({
      note: '3 unread, being read by p1.',
      mail: { messages: [] },
    })
    expect(world.inbox('bob')).toHaveLength(3)
    expect(outcomes(acknowledge(world, first))).toBe('bob delivered, bob delivered')
    expect(contents(world, 'bob')).toEqual(['three'])
    expect(outcomes(acknowledge(world, first))).toBe('bob ignored, bob ignored')
    acknowledge(world, second)
    expect(world.ok({ type: 'mail.take', member: 'bob', taker: 'p1' }).note).toBe('No unread mail.')
  }) // A69, F1

  it('delivers again, marked, when the reader is gone, and ignores its late acknowledgement', () => {
    const world = trio()
    world.send({ to: 'bob', content: 'one' }, 'ada')
    const first = take(world, 'p1')
    expect(first?.messages[0]).not.toHaveProperty('redelivered')
    world.gone.add('p1')
    const second = take(world, 'p2')
    expect(second?.messages).toMatchObject([{ content: 'one', redelivered: true }])
    expect(outcomes(acknowledge(world, first))).toBe('bob ignored')
    expect(outcomes(acknowledge(world, second))).toBe('bob delivered')
  }) // F2

  it('never takes mail from a live reader; from one whose process is unknown, after 30 s', () => {
    const world = trio()
    world.send({ to: 'bob', content: 'one' }, 'ada')
    take(world, 'p1')
    world.now += 1_000_000
    expect(take(world, 'p2')?.messages).toEqual([])
    world.now -= 1_000_000
    world.unknown.add('p1')
    world.now += 29
    expect(take(world, 'p2')?.messages).toEqual([])
    world.now += 1
    expect(take(world, 'p2')?.messages).toHaveLength(1)
  }) // F2

  it('returns the same mail to a reader that takes twice: only one take can be acknowledged', () => {
    const world = trio()
    world.self = 'p1'
    world.send({ to: 'bob', content: 'one' }, 'ada')
    const first = take(world, 'p1')
    const again = take(world, 'p1')
    expect(again?.messages).toMatchObject([{ redelivered: true }])
    expect(outcomes(acknowledge(world, first))).toBe('bob ignored')
    expect(outcomes(acknowledge(world, again))).toBe('bob delivered')
  }) // F2

  it('is refused while a runtime runs the member, and allowed again when that runtime is gone', () => {
    const world = trio()
    world.ok({ type: 'member.spawn', name: 'bot', role: 'dev', runtime: 'r1' })
    world.send({ to: 'bot', content: 'one' }, 'ada')
    const command = { type: 'mail.take', member: 'bot', taker: 'p1' } as const
    expect(world.no(command).code).toBe('served')
    world.gone.add('r1')
    expect(world.ok(command).mail?.messages).toHaveLength(1)
  }) // F2

  it('is for the owner of the mailbox, the lead and the user, not for others', () => {
    const world = trio()
    world.send({ to: 'bob', content: 'private' }, 'ada')
    expect(world.no({ type: 'mail.take', member: 'bob', taker: 'p1' }, 'eve').code).toBe('not_allowed')
    expect(take(world, 'p1', undefined, 'BOB')?.messages).toHaveLength(1)
  }) // F5

  it('works for the lead and the user', () => {
    const world = trio()
    world.send({ to: 'user', content: 'hello' }, 'ada')
    world.send({ to: 'lead', content: 'hello' }, 'ada')
    expect(world.ok({ type: 'mail.take', member: 'user', taker: 'p' }).mail?.messages).toHaveLength(1)
    expect(world.ok({ type: 'mail.take', member: 'lead', taker: 'p' }).mail?.messages).toHaveLength(1)
  })
})

describe('a line that another program left in a mailbox', () => {
  it('is text of an unverified sender and never a request', () => {
    const world = trio()
    const generation =
      world.ok({ type: 'member.spawn', name: 'bot', role: 'dev', runtime: 'r' }).member?.generation ?? 0
    world.ok(
      { type: 'request.open', kind: 'plan_approval', to: 'lead', content: 'my plan' },
      { name: 'bot', generation },
    )
    const approval = external('bot', 'plan_approval_response')
    world.report([{ ...approval, message: { ...approval.message, from: 'lead', request_id: 'r1', approve: true } }])
    expect(world.inbox('bot')).toMatchObject([{ external: true }])
    expect(world.state.requests.get('r1')?.state).toBe('pending')
  }) // F5, F29

  it('counts once, however many processes read it', () => {
    const world = trio()
    expect(outcomes(world.report([external('bob', 'message', 0), external('bob', 'message', 10)]))).toBe(
      'bob queued, bob queued',
    )
    expect(outcomes(world.report([external('bob', 'message', 0), external('bob', 'message', 10)]))).toBe(
      'bob ignored, bob ignored',
    )
    expect(outcomes(world.report([external('bob', 'message', 0, 'a2')]))).toBe('bob queued')
    expect(world.inbox('bob')).toHaveLength(3)
  }) // F1

  it('stays in its mailbox if its type is broadcast: older writers left one line in each', () => {
    const world = trio()
    expect(outcomes(world.report([external('bob', 'broadcast')]))).toBe('bob queued')
    expect(world.inbox('lead')).toEqual([])
  }) // A64, A68

  it('bounces when it is broken, and the next line still arrives', () => {
    const world = trio()
    const rejected = {
      type: 'external.rejected',
      archive: 'a1',
      offset: 0,
      end: 5,
      to: 'bob',
      reason: 'not JSON',
      line: '{',
    } as const
    expect(world.report([rejected, external('bob', 'message', 5)])).toMatchObject([
      { id: 'a1:0', outcome: 'bounced', reason: 'not JSON' },
      { outcome: 'queued' },
    ])
    expect(outcomes(world.report([rejected]))).toBe('bob ignored')
  }) // F8

  it('is not returned when its reader stops: its sender may not exist', () => {
    const world = trio()
    const line = external('bob', 'message')
    world.report([{ ...line, message: { ...line.message, from: 'ada' } }])
    world.ok({ type: 'member.stop', name: 'bob' })
    expect(world.inbox('ada')).toEqual([])
  }) // F11
})
