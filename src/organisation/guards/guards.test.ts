import { describe, expect, it } from 'vitest'
import { decideByRules, policyOf } from '../../permissions/rules/policy.ts'
import { completionProblem, idleProblem } from './completion-gates.ts'
import { escalationProblem, nextLevel, overdueEscalations } from './escalation.ts'
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

  it('goes up by itself when no answer came in time, but not past the user', () => {
    const open = [
      { id: 'e1', at: 'senior', since: 1000 },
      { id: 'e2', at: 'senior', since: 1001 },
      { id: 'e3', at: 'user', since: 0 },
    ]
    expect(overdueEscalations(rules, open, 1300)).toEqual([{ id: 'e1', from: 'senior', to: 'lead' }])
  })
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

describe('the idle gate', () => {
  const commit = (subject: string, at: number) => ({ subject, at })
  const now = 100_000

  it('holds a teammate while two plans have no summary, or one without a recent commit', () => {
    const recent = [commit('feat(api): list users', now - 60)]
    expect(idleProblem({ plans: 3, summaries: 1, commits: recent }, now, 'open')).toContain('2 plans have no summary')
    expect(idleProblem({ plans: 2, summaries: 1, commits: recent }, now, 'open')).toBeUndefined()
    expect(idleProblem({ plans: 2, summaries: 1, commits: [commit('wip', now)] }, now, 'open')).toContain('no commit')
    expect(idleProblem({ plans: 2, summaries: 1, commits: [commit('fix: x', now - 7201)] }, now, 'open')).toBeDefined()
    expect(idleProblem({ plans: 2, summaries: 2, commits: undefined }, now, 'closed')).toBeUndefined()
  })

  it('lets pass or holds when git cannot be asked, as it is set', () => {
    const facts = { plans: 2, summaries: 1, commits: undefined }
    expect(idleProblem(facts, now, 'open')).toBeUndefined()
    expect(idleProblem(facts, now, 'closed')).toContain('git could not be asked')
  }) // F50

  it('accepts a task as completed only with a recent commit that shares its words', () => {
    const problem = (subject: string, text: string, age = 60) =>
      completionProblem(subject, [commit(text, now - age)], now, 'open')
    expect(problem('List users with paging', 'feat(api): list users')).toBeUndefined()
    expect(problem('List users with paging', 'feat(api): delete users')).toContain('No commit')
    expect(problem('Parser', 'feat: parser')).toBeUndefined()
    expect(problem('Parser', 'feat: parser', 7201)).toContain('No commit')
    expect(completionProblem('Parser', undefined, now, 'closed')).toContain('git could not be asked')
  })
})
