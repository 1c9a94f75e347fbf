import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Action } from '../../src/permissions/permission.ts'
import { MODES } from '../../src/permissions/rules/modes.ts'
import { parseRule } from '../../src/permissions/rules/parse-rule.ts'
import { decideByRules, narrow, type Policy } from '../../src/permissions/rules/policy.ts'
import { readLine } from '../../src/permissions/shell/read-line.ts'
import { ordinary, rules, slipping, unallowed } from './commands.ts'

const careful: Policy = {
  mode: 'default',
  root: '/w',
  allow: rules.allow.map(parseRule),
  ask: [],
  deny: rules.deny.map(parseRule),
}
const decisionOf = (command: string, policy: Policy) =>
  decideByRules('bash', { kind: 'run', tool: 'bash', command }, policy).decision

describe('commands that try to evade a rule', () => {
  it('are denied or asked about, whatever wraps them', () => {
    const everything: Policy = { ...careful, allow: [parseRule('bash')] }
    const bypassing: Policy = { ...careful, allow: [], mode: 'bypassPermissions' }
    const allowed = slipping.filter((command) =>
      [careful, everything, bypassing].some((policy) => decisionOf(command, policy) === 'allow'),
    )
    expect(allowed).toEqual([])
    expect(new Set(slipping).size).toBe(slipping.length)
    expect(slipping.length).toBeGreaterThanOrEqual(150)
    const denied = slipping.filter((command) => decisionOf(command, careful) === 'deny').length
    console.log(`slipping commands: ${slipping.length}, ${denied} denied, ${slipping.length - denied} asked, 0 allowed`)
    // What can be seen is denied, not merely asked about.
    expect(denied).toBeGreaterThan(slipping.length / 2)
  }) // F52

  it('are asked about when no rule covers all of them', () => {
    const policy = { ...careful, deny: [] }
    expect(unallowed.filter((command) => decisionOf(command, policy) !== 'ask')).toEqual([])
  }) // F52

  it('do not prevent everyday commands that the rules allow', () => {
    expect(ordinary.filter((command) => decisionOf(command, careful) !== 'allow')).toEqual([])
  }) // F52
})

const texts = fc.oneof(
  fc.string(),
  fc
    .array(
      fc.constantFrom(
        ...`git rm ls x .env secrets/key ; & | > < ( ) { } $ \` ' " \\ \n <<E E * ? [ ] ! # = ~ -c`.split(' '),
        ' ',
        '$(',
        '${',
        '<(',
      ),
      { maxLength: 30 },
    )
    .map((parts) => parts.join('')),
  fc.constantFrom(...slipping, ...ordinary, ...unallowed),
)

describe('the reader of command lines', () => {
  it('terminates on any text', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(readLine(text).steps.length).toBeGreaterThanOrEqual(0)
        expect(['allow', 'ask', 'deny']).toContain(decisionOf(text, careful))
      }),
      { numRuns: 2000 },
    )
  })

  it('terminates on text that is nested too deep or too long, and reports it as unknown', () => {
    for (const text of [
      '$('.repeat(5000),
      '('.repeat(50_000),
      '`'.repeat(5001),
      'a'.repeat(200_000),
      '{ '.repeat(30_000),
    ])
      expect(decisionOf(text, careful)).not.toBe('allow')
  })

  it('finds a denied command inside of any harmless text', () => {
    const around = fc.constantFrom(
      'ls; %',
      'ls && (%)',
      '{ %; }',
      'echo $(%)',
      'if true; then %; fi',
      'env ls; %',
      'ls\n%',
      'echo "`%`"',
      "bash -c '%'",
    )
    fc.assert(
      fc.property(fc.array(around, { maxLength: 4 }), (layers) => {
        const command = layers.reduce((inner, layer) => layer.replace('%', () => inner), 'rm x')
        expect(decisionOf(command, { ...careful, mode: 'bypassPermissions' })).not.toBe('allow')
      }),
    )
  })
})

describe('a subagent', () => {
  const rule = fc.constantFrom(
    'bash',
    'bash(git *)',
    'bash(rm *)',
    'edit(src/**)',
    'read_file(.env)',
    'write_file',
    'weather',
    'bash(ls *)',
  )
  const policies = fc.record({
    mode: fc.constantFrom(...MODES),
    root: fc.constant('/w'),
    allow: fc.array(rule.map(parseRule), { maxLength: 3 }),
    ask: fc.array(rule.map(parseRule), { maxLength: 2 }),
    deny: fc.array(rule.map(parseRule), { maxLength: 2 }),
    isReadOnly: fc.boolean(),
  })
  const actions = fc.oneof<fc.Arbitrary<Action>[]>(
    fc.constantFrom(...slipping, ...ordinary).map((command) => ({ kind: 'run', tool: 'bash', command })),
    fc.constantFrom('src/a', '.env', 'x').map((path) => ({ kind: 'write', tool: 'write_file', path })),
    fc.constantFrom('src/a', '.env', 'x').map((path) => ({ kind: 'read', tool: 'read_file', path })),
    fc.constant<Action>({ kind: 'use', tool: 'weather' }),
  )
  const strictness = ['allow', 'ask', 'deny']

  it('never has more permissions than its parent, whatever its own policy says', () => {
    fc.assert(
      fc.property(policies, policies, policies, actions, (lead, mate, subagent, action) => {
        const strict = (policy: Policy) => strictness.indexOf(decideByRules(action.tool, action, policy).decision)
        const narrowed = narrow(lead, mate)
        expect(strict(narrowed)).toBe(Math.max(strict(lead), strict(mate)))
        expect(strict(narrow(narrowed, subagent))).toBeGreaterThanOrEqual(strict(narrowed))
        expect(strict(narrow(lead, narrow(mate, subagent)))).toBeGreaterThanOrEqual(strict(lead))
      }),
      { numRuns: 500 },
    )
  })
})
