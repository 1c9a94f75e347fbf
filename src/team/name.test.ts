import { describe, expect, it } from 'vitest'
import { teamHarness } from '../testing/harnesses/team-harness.ts'
import { isName, nameRule } from './name.ts'
import { isRefusal } from './refusal.ts'

const characters = [...Array(128).keys()]
  .map((code) => String.fromCharCode(code))
  .filter((c) => !/[A-Za-z0-9_-]/.test(c))

const hostile = [
  ...characters.flatMap((c) => [c, `a${c}b`, `${c}a`, `a${c}`]),
  ...['', '.', '..', '...', '-', '_', '-rf', '_x', '--help', '~', '~root', 'a'.repeat(65), 'a'.repeat(100_000)],
  ...['../escape', '../../etc/passwd', '/etc/passwd', 'a/../../b', '..\\..\\b', 'C:\\x', 'file:///etc', '%2e%2e%2f'],
  ...['con.txt', 'a.jsonl', '.hidden', '.teams', 'nul\0byte', 'line\nbreak', 'tab\there', 'a b', ' a', 'a ', 'a\r'],
  ...[
    '$(id)',
    '`id`',
    '\x24{HOME}',
    'a;rm -rf .',
    'a|b',
    'a&b',
    "a'b",
    'a"b',
    '<a>',
    '*',
    '?',
    '[a]',
    '{a,b}',
    '!a',
    '#a',
  ],
  ...[
    'é',
    'ü',
    'ß',
    'Ada\u0301',
    '名前',
    'имя',
    '😀',
    'a\u200bb',
    'a\u202eb',
    '\ufeffa',
    'a\u0000',
    'ａｄａ',
    'İ',
    'ı',
    '\u212a',
  ],
  ...['__proto__', 'null\n', 'a@b', 'a:b', 'a=b', 'a,b', 'a+b', 'inbox/lead', 'lead.jsonl', 'lead/', './lead', 'ℓead'],
]

describe('a name', () => {
  it('is refused with its rule for more than 200 hostile texts, before a path is built', () => {
    const world = teamHarness()
    expect(new Set(hostile).size).toBeGreaterThan(200)
    for (const name of hostile) {
      expect(isName(name), JSON.stringify(name)).toBe(false)
      expect(world.no({ type: 'member.join', name, role: 'dev' })).toEqual({
        code: 'invalid',
        details: { problem: 'name', name },
      })
      expect(world.no({ type: 'member.spawn', name, role: 'dev', runtime: 'r' }).code).toBe('invalid')
      expect(world.no({ type: 'member.stop', name }).code).toBe('unknown_member')
      expect(world.no({ type: 'mail.take', member: name, taker: 'p' }).code).toBe('unknown_member')
      expect(isRefusal(world.send({ to: name, content: 'x' })), JSON.stringify(name)).toBe(true)
      expect(world.no({ type: 'task.add', tasks: [{ subject: 'x', assignee: name }] }).code).toBe('unknown_member')
      expect(world.no({ type: 'team.create', team: name }).code).toBe('invalid')
    }
    expect(world.journal).toHaveLength(1)
    expect([...world.state.mailboxes.keys()]).toEqual([])
  }) // B49, F13

  it('is 1 to 64 letters, digits, _ and -, beginning with a letter or digit', () => {
    const world = teamHarness()
    const good = ['a', 'Z', '0', 'a-b_c', '9lives', 'x'.repeat(64), 'constructor', 'toString', 'hasOwnProperty']
    for (const name of good) world.join(name)
    expect(world.ok({ type: 'member.join', name: 'b', role: 'dev' }).member?.name).toBe('b')
    expect(nameRule('x'.repeat(1000)).length).toBeLessThan(250)
  }) // B49

  it('cannot be lead, user or all, however it is written', () => {
    const world = teamHarness()
    for (const name of ['lead', 'LEAD', 'Lead', 'user', 'User', 'all', 'ALL']) {
      expect(world.no({ type: 'member.join', name, role: 'dev' }).details).toMatchObject({ problem: 'reserved_name' })
    }
  }) // B49

  it('is the same name in another case, and keeps the case it first had', () => {
    const world = teamHarness()
    world.join('Ada')
    expect(world.ok({ type: 'member.join', name: 'ADA', role: 'dev' })).toMatchObject({
      note: 'Ada is already in the team.',
      member: { name: 'Ada', generation: 1 },
    })
    world.send({ to: 'aDA', content: 'hello' })
    expect(world.inbox('ada')).toHaveLength(1)
    expect(world.ok({ type: 'task.add', tasks: [{ subject: 'x', assignee: 'ADA' }] }).tasks?.[0]?.assignee).toBe('Ada')
    expect(world.ok({ type: 'task.claim' }, 'ADA').tasks?.[0]?.owner).toBe('Ada')
  }) // B49, A60
})
