import { describe, expect, it } from 'vitest'
import { OWNER_TOOLS } from '../../prompts/owner.ts'
import { engineering, filesFrom, templateFiles } from '../../testing/harnesses/organisation-harness.ts'
import { ARTEFACTS } from '../artefacts/schemas.ts'
import { artefactsFor } from '../artefacts/scope.ts'
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

  it('lets leads read the files of their hand-offs, and no role a file that nothing leaves behind', () => {
    const files = ['api-contracts.jsonl', 'design-handoff.jsonl', 'owner-review.jsonl']
    const { roles } = engineering()
    expect(artefactsFor(roles.get('lead')?.reads ?? [], [...files, 'owner-signoff.jsonl'])).toEqual(files)
    expect(artefactsFor(roles.get('dev')?.reads ?? [], files), 'departments exchange them by their leads').toEqual([])
    const main = templateFiles()['organisation.yaml'] ?? ''
    const wrong = { 'organisation.yaml': main.replace('owner-review.jsonl]', 'owner-reviews.jsonl]') }
    const { problems } = readOrganisation('organisation', filesFrom({ ...templateFiles(), ...wrong }))
    expect(problems.map(({ problem }) => problem)).toEqual(['no step leaves owner-reviews.jsonl behind'])
  }) // C30, C77

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

  it('names in its prompts only hand-offs, artefacts, fields and tools that exist', () => {
    const { roles, handoffs, steps, inputs, gates } = engineering()
    const artefacts = [
      ...steps.flatMap(({ exit }) => exit),
      ...inputs,
      ...[...gates.values()].flatMap((one) => one.artefacts),
    ]
    const files = [...handoffs.values()].flatMap(({ file }) => file ?? [])
    const known = new Set([
      ...[...artefacts, ...files, ...handoffs.keys(), ...Object.keys(ARTEFACTS).map((name) => `${name}.jsonl`)],
      ...[...handoffs.values()].flatMap(({ schema }) => Object.keys(schema.shape)),
      ...[...Object.keys(OWNER_TOOLS), 'spec', 'ts', 'done', 'PP-NN.plan.jsonl'],
    ])
    const named = [...roles].flatMap(([role, { prompt, description }]) =>
      [...`${description}\n${prompt}`.matchAll(/`([^`]+)`|\b([\w-]+\.(?:jsonl?|toon))\b/g)].map(
        ([, quoted, file]) => `${role}: ${quoted ?? file}`,
      ),
    )
    expect(named.length).toBeGreaterThan(30)
    expect(named.filter((one) => !known.has(one.slice(one.indexOf(': ') + 2)))).toEqual([])
  }) // C77

  it('asks a role for a hand-off only where it can send it', () => {
    const { roles, handoffs, owner } = engineering()
    for (const [role, { prompt }] of roles)
      for (const [, type = ''] of prompt.matchAll(/(?:send|write|answer is|answer\nis)[^.`]*`(\w+_\w+)`/g)) {
        const handoff = handoffs.get(type)
        if (!handoff) continue
        expect(handoff.from, `${role} is asked for ${type}`).toContain(role)
        if (role === owner) expect(Object.values(OWNER_TOOLS).join(), type).toContain(type)
      }
  }) // C26, C27, C28

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
