import { describe, expect, it } from 'vitest'
import { teamHarness } from '../../testing/harnesses/team-harness.ts'
import { isRole, roleKey, roleRule } from './role.ts'

describe('a role', () => {
  it.for(['frontend dev', 'a', '前端开发', 'Führung', 'R&D / ops (night)', 'x'.repeat(64), "o'neill"])(
    'may be %j',
    (text) => {
      expect(isRole(text)).toBe(true)
    },
  ) // T29

  it.for([
    ...['', '   ', 'x'.repeat(65), 'two\nlines', 'tab\there', 'nul\0', 'esc\u001b[31m', 'c1\u009b'],
    ...['right\u202eleft', 'mark\u200f', 'zero\u200bwidth', 'join\u200der', 'bom\ufeff', 'soft\u00adhyphen'],
    ...['filler\u3164', 'line\u2028end', 'lone\ud800', '\u2066isolate'],
  ])('cannot be %j, and the refusal shows no character that is not seen', (text) => {
    expect(isRole(text)).toBe(false)
    expect(roleRule(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  }) // T29

  it('is compared without case, by composed characters and single spaces', () => {
    expect(roleKey(' Frontend   Dev ')).toBe(roleKey('frontend dev'))
    expect(roleKey('cafe\u0301')).toBe(roleKey('caf\u00e9'))
    expect(roleKey('frontend\u00a0dev')).toBe(roleKey('frontend dev'))
    expect(roleKey('frontenddev')).not.toBe(roleKey('frontend dev'))
  }) // T29

  it('is compared the same way among thousands of roles', () => {
    for (let n = 0; n < 3000; n++) expect(roleKey(`Role  ${n}`)).toBe(`role ${n}`)
    expect(roleKey('Role  0')).toBe('role 0')
  })

  it('decides which member may claim, in a join, a spawn and a task', () => {
    const world = teamHarness()
    world.join('ada', ' Frontend  dev')
    world.join('bob', 'backend dev')
    world.ok({ type: 'supervise', runtime: 'here' })
    const spawned = world.ok({ type: 'member.spawn', name: 'cleo', role: 'load  tester', runtime: 'here' })
    expect(spawned.member?.role).toBe('load tester')
    world.add({ subject: 'page', role: 'FRONTEND DEV' })
    expect(world.no({ type: 'task.claim', id: '1' }, 'bob').code).toBe('role_mismatch')
    expect(world.ok({ type: 'task.claim' }, 'ada').tasks?.[0]).toMatchObject({ id: '1', role: 'FRONTEND DEV' })
    world.ok({ type: 'task.release', id: '1' }, 'ada')
    world.ok({ type: 'task.update', id: '1', role: 'backend   dev' })
    expect(world.task('1').role).toBe('backend dev')
    expect(world.ok({ type: 'task.claim' }, 'bob').tasks?.[0]).toMatchObject({ id: '1' })
    for (const role of ['', 'a\nb', 'x'.repeat(65)]) {
      expect(world.run({ type: 'member.join', name: 'dora', role })).toMatchObject({ code: 'invalid' })
      expect(world.run({ type: 'task.add', tasks: [{ subject: 'x', role }] })).toMatchObject({ code: 'invalid' })
      expect(world.run({ type: 'task.update', id: '1', role })).toMatchObject({ code: 'invalid' })
    }
    expect(world.ok({ type: 'member.join', name: 'ada', role: 'frontend DEV' }).note).toBe(
      'ada is already in the team.',
    )
  }) // T29
})
