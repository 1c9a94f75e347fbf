import { describe, expect, it } from 'vitest'
import { decideByRules, policyOf } from '../../permissions/rules/policy.ts'
import { escalationProblem, nextLevel } from './escalation.ts'
import { afterReview, reviewersOf } from './review-cycles.ts'
import { writeGuard } from './write-guard.ts'

describe('the write guard of a department', () => {
  const departments = new Map([
    ['backend', { folders: ['src/api/', 'migrations'] }],
    ['frontend', { folders: ['src/pages'] }],
  ])
  const policy = policyOf({ mode: 'acceptEdits', deny: writeGuard(departments, 'frontend') }, '/w')
  const write = (path: string) =>
    decideByRules('write_file', { kind: 'write', tool: 'write_file', path }, policy).decision
  const run = (command: string) => decideByRules('bash', { kind: 'run', tool: 'bash', command }, policy).decision

  it('denies writes into folders of the others, by file tools and by commands that name them', () => {
    expect(write('/w/src/api/users.ts')).toBe('deny')
    expect(write('/w/migrations/001.sql')).toBe('deny')
    expect(run('echo x > src/api/users.ts')).toBe('deny')
    expect(run('rm -r migrations')).toBe('deny')
  }) // C80

  it('leaves its own folders and the planning folder alone', () => {
    expect(write('/w/src/pages/users.tsx')).toBe('allow')
    expect(write('/w/.yolo-planning/phases/03-api/reqs.jsonl')).toBe('allow')
    expect(write('/w/src/apis.ts')).toBe('allow')
  }) // C80
})

describe('an escalation', () => {
  const rules = {
    chain: ['dev', 'senior', 'lead', 'architect', 'owner', 'user'],
    joins: { security: 'lead', qa: 'lead' },
    bypass: ['security'],
    timeoutSeconds: 300,
  }
  const asked = { from: 'dev', to: 'senior', evidence: ['test/a.ts fails'], recommendation: 'change the API' }

  it('goes to the next level and skips none', () => {
    expect(escalationProblem(rules, asked)).toBeUndefined()
    expect(escalationProblem(rules, { ...asked, to: 'lead' })).toBe(
      'dev escalates to senior, not to lead: no level is skipped. Send it to senior.',
    )
    expect(escalationProblem(rules, { ...asked, to: 'user' })).toContain('no level is skipped')
    expect(nextLevel(rules, 'user')).toBeUndefined()
    expect(nextLevel(rules, 'constructor')).toBeUndefined()
  }) // C31

  it('needs evidence and a recommendation', () => {
    expect(escalationProblem(rules, { ...asked, evidence: [' '] })).toContain('needs evidence')
    expect(escalationProblem(rules, { ...asked, recommendation: '' })).toContain('needs a recommendation')
  }) // C31

  it('of a security FAIL goes to the owner at once, and nothing else does', () => {
    const audit = { ...asked, from: 'security', to: 'owner' }
    expect(escalationProblem(rules, { ...audit, result: 'FAIL' })).toBeUndefined()
    expect(escalationProblem(rules, { ...audit, result: 'WARN' })).toContain('no level is skipped')
    expect(escalationProblem(rules, { ...audit, from: 'qa', result: 'FAIL' })).toContain('no level is skipped')
    expect(escalationProblem(rules, { ...audit, to: 'user', result: 'FAIL' })).toContain('no level is skipped')
  }) // C31
})

describe('review cycles', () => {
  it('escalate after the second review that does not pass', () => {
    const rule = { max: 2, escalateTo: 'architect' }
    expect(afterReview(rule, 1, true)).toEqual({ next: 'passed' })
    expect(afterReview(rule, 1, false)).toEqual({ next: 'again', cycle: 2 })
    expect(afterReview(rule, 2, false)).toEqual({
      next: 'escalate',
      to: 'architect',
      reason: 'not passed after 2 of 2 cycles',
    })
  }) // C76

  it('have one reviewer per plan where there are several plans', () => {
    expect(reviewersOf('senior', ['03-01', '03-02'], true).map(({ name }) => name)).toEqual([
      'senior-03-01',
      'senior-03-02',
    ])
    expect(reviewersOf('senior', ['03-01'], true)).toEqual([{ name: 'senior', plans: ['03-01'] }])
    expect(reviewersOf('senior', ['03-01', '03-02'], false)).toHaveLength(1)
  }) // C76
})
