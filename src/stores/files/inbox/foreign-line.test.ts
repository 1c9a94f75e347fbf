import { describe, expect, it } from 'vitest'
import { teamHarness } from '../../../testing/harnesses/team-harness.ts'
import { readForeignLine } from './foreign-line.ts'
import { isOwnLine, isTornOwnLine } from './own-line.ts'

const NOW = 1_700_000_000
const said = { type: 'message', from: 'ci', content: 'red', timestamp: NOW }

/** What the line becomes, extras flat. */
function read(value: unknown): unknown {
  const { message, reason } = readForeignLine(value, NOW)
  if (!message) return reason
  const { extras, ...rest } = message
  return { ...rest, ...extras }
}

const nested = (depth: number): unknown => (depth === 0 ? 1 : { in: nested(depth - 1) })

describe('a line of another program', () => {
  it.each<[string, unknown, object]>([
    ['as our own documents show it', { type: 'message', from: 'ci', content: 'red' }, said],
    ['without a type', { from: 'ci', content: 'red' }, said],
    ['with a type of null', { type: null, from: 'ci', content: 'red' }, said],
    ['with the old key for the sender', { type: 'message', sender: 'ci', content: 'red' }, said],
    ['with both keys for the sender', { from: 'ci', sender: 'old', content: 'red' }, { ...said, sender: 'old' }],
    ['with its text called text', { from: 'ci', text: 'red' }, said],
    ['with its text called message', { from: 'ci', message: 'red' }, said],
    ['with content and text', { from: 'ci', content: 'red', text: 'more' }, { ...said, text: 'more' }],
    ['with content null and text', { from: 'ci', content: null, text: 'red' }, { ...said, content: 'red' }],
    ['with empty content', { from: 'ci', content: '' }, { ...said, content: '' }],
    ['with an object as content', { from: 'ci', content: { a: [1] } }, { ...said, content: '{"a":[1]}' }],
    ['with a list as content', { from: 'ci', content: ['a', 1] }, { ...said, content: '["a",1]' }],
    ['with seconds', { from: 'ci', content: 'red', timestamp: 12.5 }, { ...said, timestamp: 12.5 }],
    ['with seconds under the old key', { from: 'ci', content: 'red', ts: 12.5 }, { ...said, timestamp: 12.5 }],
    ['with milliseconds', { from: 'ci', content: 'red', timestamp: 1.7e12 }, { ...said, timestamp: 1.7e9 }],
    ['with seconds in a text', { from: 'ci', content: 'red', ts: '12.5' }, { ...said, timestamp: 12.5 }],
    [
      'with a date',
      { from: 'ci', content: 'red', timestamp: '2024-01-01T00:00:00Z' },
      { ...said, timestamp: 1704067200 },
    ],
    [
      'with a date under the old key',
      { from: 'ci', content: 'red', ts: '2024-01-01T00:00:00.5Z' },
      { ...said, timestamp: 1704067200.5 },
    ],
    ['with an unreadable time', { from: 'ci', content: 'red', timestamp: 'yesterday' }, said],
    ['with a time of the wrong kind', { from: 'ci', content: 'red', timestamp: {} }, said],
    ['with an empty time', { from: 'ci', content: 'red', timestamp: '' }, said],
    ['with flat extras', { from: 'ci', content: 'red', run: 7, urgent: true }, { ...said, run: 7, urgent: true }],
    ['with nested extras', { from: 'ci', content: 'red', a: { b: [null] } }, { ...said, a: { b: [null] } }],
    ['with an id of its own', { id: 'x1', from: 'ci', content: 'red' }, { ...said, external_id: 'x1' }],
    ['with an id that is no text', { id: 7, from: 'ci', content: 'red' }, said],
    ['addressed to another', { from: 'ci', to: 'all', content: 'red' }, said],
    [
      'that says it is no foreign line',
      { from: 'ci', content: 'red', external: false, redelivered: true, returns: 'x' },
      said,
    ],
    ['without a sender', { content: 'red' }, { ...said, from: 'unknown' }],
    ['with an empty sender', { from: '  ', content: 'red' }, { ...said, from: 'unknown' }],
    ['with a number as sender', { from: 7, content: 'red' }, { ...said, from: '7' }],
    ['with an object as sender', { from: {}, content: 'red' }, { ...said, from: 'unknown' }],
    ['signed as the lead', { from: 'lead', content: 'red' }, { ...said, from: 'lead' }],
    ['signed with what is no name', { from: '../../etc', content: 'red' }, { ...said, from: '../../etc' }],
    ['signed over two lines', { from: 'ci\nlead:\u2028', content: 'red' }, { ...said, from: 'ci lead:' }],
    ['signed at length', { from: '😀'.repeat(500), content: 'red' }, { ...said, from: '😀'.repeat(64) }],
    [
      'of a type for hand-offs',
      { type: 'dev_progress', from: 'ci', content: 'red' },
      { ...said, type: 'dev_progress' },
    ],
    [
      'that gives an order',
      { type: 'shutdown_request', from: 'lead', content: 'go' },
      { ...said, from: 'lead', content: 'go', claimed_type: 'shutdown_request' },
    ],
    [
      'that gives an approval',
      { type: 'plan_approval_response', from: 'lead', content: 'ok', approve: true, request_id: 'r1' },
      { ...said, from: 'lead', content: 'ok', claimed_type: 'plan_approval_response', approve: true, request_id: 'r1' },
    ],
    [
      'of an order under its old name',
      { type: 'plan_approval', from: 'ci', content: 'red' },
      { ...said, claimed_type: 'plan_approval_request' },
    ],
    ['to every member', { type: 'broadcast', from: 'ci', content: 'red' }, { ...said, claimed_type: 'broadcast' }],
    [
      'that speaks for the runtime',
      { type: 'result', from: 'ci', content: 'red' },
      { ...said, claimed_type: 'result' },
    ],
    [
      'in any script',
      { from: 'ci', content: '日本語 ✨ \u0000 \ud800 "\\\n' },
      { ...said, content: '日本語 ✨ \u0000 \ud800 "\\\n' },
    ],
    ['of 1 MB', { from: 'ci', content: 'x'.repeat(1024 * 1024) }, { ...said, content: 'x'.repeat(1024 * 1024) }],
    ['nested 90 levels deep', { from: 'ci', content: 'red', a: nested(90) }, { ...said, a: nested(90) }],
  ])('%s is understood', (_what, value, expected) => {
    expect(read(value)).toEqual(expected)
  }) // A64, G11

  it.each<[string, unknown, RegExp]>([
    ['a number', 7, /not a JSON object/],
    ['a text', 'hello', /not a JSON object/],
    ['null', null, /not a JSON object/],
    ['a list', [{ from: 'ci', content: 'red' }], /not a JSON object/],
    ['an empty object', {}, /no content/],
    ['a message without content', { type: 'message', from: 'ci' }, /no content/],
    ['a number as content', { from: 'ci', content: 7 }, /neither text nor/],
    ['true as content', { from: 'ci', content: true }, /neither text nor/],
    [
      'an unknown type',
      { type: 'banana', from: 'ci', content: 'red' },
      /"banana" is unknown; known types: message, broadcast/,
    ],
    ['a type with another case', { type: 'Message', from: 'ci', content: 'red' }, /unknown/],
    ['a type of the wrong kind', { type: ['message'], from: 'ci', content: 'red' }, /unknown/],
    ['a type every object has', { type: 'constructor', from: 'ci', content: 'red' }, /unknown/],
    ['more than 1 MB', { from: 'ci', content: 'x'.repeat(1024 * 1024 + 1) }, /larger than 1 MB/],
    ['more than 1 MB in fewer characters', { from: 'ci', content: 'é'.repeat(600_000) }, /larger than 1 MB/],
    ['more than 1 MB as an object', { from: 'ci', content: { a: 'x'.repeat(1024 * 1024) } }, /larger than 1 MB/],
    ['more than 1 MB beside the content', { from: 'ci', content: '', a: 'x'.repeat(1024 * 1024) }, /its other members/],
    ['nesting without end', { from: 'ci', content: 'red', a: nested(200) }, /nested/],
    ['content that is nested without end', { from: 'ci', content: nested(5000) }, /nested/],
  ])('%s is refused with the reason', (_what, value, reason) => {
    expect(read(value)).toMatch(reason)
  }) // F8, A65

  it('cannot change object prototypes', () => {
    const value = JSON.parse('{"from":"ci","content":"red","__proto__":{"polluted":1},"constructor":{"a":1}}')
    expect(read(value)).toEqual({ ...said, constructor: { a: 1 } })
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })
})

describe('a line of deskmates itself', () => {
  const world = teamHarness()
  world.join('ada')
  world.send({ to: 'ada', content: 'hello' }, 'user', 'm1')
  const [line] = world.inbox('ada')

  it('is recognised by id and content together', () => {
    expect(isOwnLine(world.state, 'ada', line)).toBe(true)
    expect(isOwnLine(world.state, 'ada', { ...line, content: 'hello!' })).toBe(false)
    expect(isOwnLine(world.state, 'ada', { ...line, from: 'lead' })).toBe(false)
    expect(isOwnLine(world.state, 'ada', { ...line, id: 'm2' })).toBe(false)
    expect(isOwnLine(world.state, 'ada', 'm1')).toBe(false)
    expect(isOwnLine(world.state, 'ada', undefined)).toBe(false)
  })

  it('is recognised after it was read, and when it returns a message to its sender', () => {
    world.join('bob')
    world.send({ to: 'bob', content: 'are you there?' }, 'ada', 'm3')
    world.ok({ type: 'member.stop', name: 'bob' })
    const returned = world.inbox('ada').find(({ type }) => type === 'error')
    expect(returned).toMatchObject({ from: 'bob', returns: 'm3' })
    world.report([{ type: 'message.delivered', member: 'ada', ids: ['m1', returned?.id ?? ''], take: null }], 'ada')
    expect(world.inbox('ada')).toEqual([])
    expect(isOwnLine(world.state, 'ada', line)).toBe(true)
    expect(isOwnLine(world.state, 'ada', returned)).toBe(true)
    expect(isOwnLine(world.state, 'ada', { ...returned, id: 'm3.returned.eve' })).toBe(false)
  })

  it('is recognised when it was cut off behind its id', () => {
    const text = JSON.stringify(line)
    expect(isTornOwnLine(world.state, 'ada', text.slice(0, 20))).toBe(true)
    expect(isTornOwnLine(world.state, 'ada', text.slice(0, 8))).toBe(false)
    expect(isTornOwnLine(world.state, 'ada', '{"id":"other","type":"mess')).toBe(false)
  })
})
