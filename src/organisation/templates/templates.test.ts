import { describe, expect, it } from 'vitest'
import { engineering, filesFrom, templateFiles } from '../../testing/harnesses/organisation-harness.ts'
import { readOrganisation } from '../definition/read-organisation.ts'

describe('the template engineering', () => {
  it('is valid', () => {
    expect(readOrganisation('organisation', filesFrom(templateFiles())).problems).toEqual([])
  })

  it('has three departments with 7, 6 and 6 members besides their leads', () => {
    const { departments } = engineering()
    const shown = [...departments].map(([name, { lead, roles }]) => [name, lead, roles.length])
    expect(shown).toEqual([
      ['backend', 'yolo-lead', 7],
      ['frontend', 'yolo-fe-lead', 6],
      ['uiux', 'yolo-ux-lead', 6],
    ])
    expect(departments.get('frontend')?.roles).not.toContain('security')
  }) // C9, C15

  it('registers members at their steps, architect before senior before dev', () => {
    const { roles } = engineering()
    const steps = [...roles].flatMap(([name, { kind, step }]) => (kind === 'member' ? [[name, step]] : []))
    expect(Object.fromEntries(steps)).toEqual({
      architect: 2,
      senior: 4,
      tester: 5,
      dev: 6,
      qa: 8,
      'qa-code': 8,
      security: 9,
    })
    const [first, second, third] = engineering().departments.get('backend')!.roles
    expect([first, second, third]).toEqual(['architect', 'senior', 'dev'])
  }) // C16

  it('keeps critic, scout and debugger out of every team', () => {
    const { roles, departments } = engineering()
    const oneShot = [...roles].filter(([, { kind }]) => kind === 'task-only').map(([name]) => name)
    expect(oneShot).toEqual(['critic', 'scout', 'debugger'])
    for (const { roles: members } of departments.values())
      for (const name of oneShot) expect(members).not.toContain(name)
  }) // C17

  it('has the ten steps; 1, 2, 5, 8 and 9 can be skipped', () => {
    const { steps } = engineering()
    expect(steps.map(({ name }) => name)).toEqual([
      'critique',
      'architecture',
      'planning',
      'design_review',
      'test_authoring',
      'implementation',
      'code_review',
      'qa',
      'security',
      'signoff',
    ])
    expect(steps.filter(({ skippable }) => skippable).map(({ step }) => step)).toEqual([1, 2, 5, 8, 9])
    expect(steps.find(({ name }) => name === 'architecture')?.exit).toEqual(['architecture.toon'])
    expect(steps.flatMap(({ step, cycles }) => (cycles ? [[step, cycles.max, cycles.escalateTo]] : []))).toEqual([
      [7, 2, 'lead'],
      [8, 2, 'architect'],
    ])
  }) // C74, C76

  it('waits 60 seconds for a sign of life and 300 for an answer to an escalation', () => {
    const { health, escalation, autoCommit, roles } = engineering()
    expect(health.silenceSeconds).toBe(60)
    expect(escalation).toMatchObject({
      timeoutSeconds: 300,
      chain: ['dev', 'senior', 'lead', 'architect', 'owner', 'user'],
    })
    expect(autoCommit).toBe(false)
    expect(roles.get('dev')?.scaling).toEqual({ max: 5 })
  }) // C31, C63
})
