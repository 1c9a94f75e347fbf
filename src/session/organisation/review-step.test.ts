import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ApprovalGates } from '../../organisation/guards/approvals.ts'
import { type StepTask, stepTasks } from '../../organisation/phases/step-tasks.ts'
import type { MessageType } from '../../team/message.ts'
import { memberNamed } from '../../team/state.ts'
import { engineering } from '../../testing/harnesses/organisation-harness.ts'
import { teamHarness } from '../../testing/harnesses/team-harness.ts'
import { type Phase, phaseOf } from './phase.ts'
import { reviewStep } from './review-step.ts'

const organisation = engineering()

interface Reviewed {
  readonly gates?: ApprovalGates
  readonly plans?: readonly string[]
  /** What happens while these tasks are done. */
  during?(tasks: readonly StepTask[], team: Team, path: string): void
}

/** A step of the template whose agents leave these artefacts, a line each. */
function review(
  number: number,
  artefacts: Record<string, object>,
  { gates = {}, plans = ['03-01'], during }: Reviewed = {},
) {
  const path = mkdtempSync(join(tmpdir(), 'deskmates-review-'))
  for (const [name, line] of Object.entries(artefacts)) writeFileSync(join(path, name), `${JSON.stringify(line)}\n`)
  const team = teamHarness()
  const done: string[] = []
  const isOnBoard = ({ subject }: StepTask) => [...team.state.tasks.values()].some((task) => task.subject === subject)
  const start = () =>
    reviewStep({
      phase: phaseOf({ organisation, path, folder: 'p' } as Phase, 'backend'),
      department: 'backend',
      step: organisation.steps.find(({ step }) => step === number)!,
      approvalGates: gates,
      state: team.state,
      work: (cycle, some) => ({
        ...{ department: 'backend', folder: 'p', files: [], plans: some ?? plans, cycle, attempt: 1 },
        isPartOfPlans: some !== undefined,
        roleOf: (role) => organisation.roles.get(role),
      }),
      async doTasks(tasks) {
        const missing = tasks.filter((task) => !isOnBoard(task))
        if (missing.length === 0) return undefined
        team.ok({ type: 'task.add', tasks: missing })
        done.push(...missing.map(({ subject }) => subject))
        during?.(missing, team, path)
        return undefined
      },
      async addTask(task: StepTask) {
        if (!isOnBoard(task)) team.ok({ type: 'task.add', tasks: [task] })
        return undefined
      },
    })
  return { team, done, start, path }
}

type Team = ReturnType<typeof teamHarness>

/** A member of this role hands over a result. */
function handOver(team: Team, [type, from, role]: readonly [MessageType, string, string], fields: object) {
  if (!memberNamed(team.state, from)) team.join(from, role)
  team.send({ type, to: 'lead', content: JSON.stringify(fields) }, from)
}

const PASSED = { 'verification.jsonl': { r: 'PASS' }, 'qa-code.jsonl': { r: 'PASS' } }
const complete = (team: Team, id: string, kind: 'human' | 'external') => {
  team.ok({ type: 'member.join', name: 'grace', role: 'person', kind })
  team.ok({ type: 'task.claim', id }, 'grace')
  team.ok({ type: 'task.complete', id, result: 'yes' }, 'grace')
}

describe('a review step', () => {
  it('fails by the worst verdict of its artefacts, and goes up by the rules of the organisation', async () => {
    const failed = { 'verification.jsonl': { r: 'PASS' }, 'qa-code.jsonl': { r: 'PARTIAL' } }
    const qa = review(8, failed)
    expect(await qa.start()).toMatchObject({
      ...{ isReviewed: true, escalation: { from: 'qa', to: 'architect', evidence: ['qa-code.jsonl: PARTIAL'] } },
      reason: expect.stringContaining('not passed after 2 of 2 cycles'),
    })
    expect(qa.done.filter((subject) => subject.startsWith('Rework'))).toHaveLength(1)
    for (const r of ['FAIL', 'Pass ', '', null]) {
      const audit = await review(9, { 'security-audit.jsonl': { r } }).start()
      expect(audit?.escalation, String(r)).toMatchObject({ from: 'security', to: 'owner' })
    }
    for (const r of ['PASS', 'WARN']) expect(await review(9, { 'security-audit.jsonl': { r } }).start()).toBeUndefined()
  }) // C31, C76

  it('waits for a person at its approval gate, and only a person passes it', async () => {
    const { team, start } = review(8, PASSED, { gates: { manual_qa: true, qa_fail: true } })
    expect(await start()).toMatchObject({ waitsFor: ['3'], reason: expect.stringContaining('manual_qa waits') })
    await start()
    expect(team.state.tasks.size, 'asked once').toBe(3)
    complete(team, '3', 'external')
    expect(await start()).toMatchObject({ isReviewed: true, reason: expect.stringContaining('grace, which is not') })
    const other = review(8, PASSED, { gates: { manual_qa: true } })
    await other.start()
    complete(other.team, '3', 'human')
    expect(await other.start()).toBeUndefined()
  }) // C8

  it('asks a person before work goes back after a failed QA, and about warnings of an audit', async () => {
    const qa = review(
      8,
      { 'verification.jsonl': { r: 'FAIL' }, 'qa-code.jsonl': { r: 'PASS' } },
      { gates: { qa_fail: true } },
    )
    expect((await qa.start())?.reason).toContain('approval qa_fail waits')
    expect(qa.done.some((subject) => subject.startsWith('Rework'))).toBe(false)
    const audit = review(
      9,
      { 'security-audit.jsonl': { r: 'WARN' } },
      { gates: { security_warn: true, code_review: true } },
    )
    expect((await audit.start())?.reason).toContain('approval security_warn waits')
  }) // C8
})

describe('a result that was only handed over', () => {
  const CODE = { plan: '03-01', r: 'approve', cycle: 1 }
  const cases: [number, Record<string, object>, readonly [MessageType, string, string], object, string][] = [
    [
      ...([7, { 'code-review.jsonl': CODE }, ['code_review_result', 'senior-1', 'senior']] as const),
      ...[{ plan_id: '03-01', result: 'changes_requested' }, 'code-review.jsonl says approve'],
    ] as never,
    [8, PASSED, ['qa_result', 'qa-1', 'qa'], { result: 'FAIL' }, 'verification.jsonl says PASS'],
    [8, PASSED, ['qa_code_result', 'yolo-qc', 'yolo-qa-code'], { result: 'PARTIAL' }, 'qa-code.jsonl says PASS'],
    [
      ...([9, { 'security-audit.jsonl': { r: 'PASS' } }, ['security_audit', 'sec', 'security']] as const),
      ...[{ type: 'security_audit', payload: { result: 'FAIL' } }, 'security-audit.jsonl says PASS'],
    ] as never,
  ]
  it.each(cases)(
    'fails step %i although the artefact passes, and both are named',
    async (step, left, sender, said, other) => {
      const during: Reviewed['during'] = (tasks, team) => {
        if (tasks.some(({ subject }) => subject.startsWith('Step'))) handOver(team, sender, said)
      }
      const problem = await review(step, left, { during }).start()
      expect(problem).toMatchObject({ isReviewed: true, escalation: { from: expect.any(String) } })
      expect(problem?.reason).toContain(`${sender[0]} of ${sender[1]} says `)
      expect(problem?.reason).toContain(`${other}: the stricter one counts`)
      const agreeing: Reviewed['during'] = (tasks, team) => {
        if (tasks.some(({ subject }) => subject.startsWith('Step')))
          handOver(team, sender, { plan_id: '03-01', result: step === 7 ? 'approve' : 'PASS' })
      }
      expect(await review(step, left, { during: agreeing }).start()).toBeUndefined()
    },
  ) // C28, C76

  it('of an earlier cycle or of another role does not count', async () => {
    const during: Reviewed['during'] = (tasks, team) => {
      const [{ subject } = { subject: '' }] = tasks
      if (!subject.startsWith('Step')) return
      const isSecond = subject.endsWith('cycle 2')
      handOver(team, ['qa_result', isSecond ? 'qa-2' : 'qa-1', 'qa'], { result: isSecond ? 'PASS' : 'FAIL' })
      handOver(team, ['security_audit', 'sec', 'security'], { result: 'FAIL' })
    }
    const { start, done } = review(8, PASSED, { during })
    expect(await start()).toBeUndefined()
    expect(done.filter((subject) => subject.startsWith('Rework'))).toHaveLength(1)
    expect(await start(), 'a run that is repeated').toBeUndefined()
    expect(done.filter((subject) => subject.startsWith('Rework'))).toHaveLength(1)
  }) // C76

  it('with a warning asks the person that the configuration wants', async () => {
    const during: Reviewed['during'] = (_, team) =>
      handOver(team, ['security_audit', 's', 'security'], { result: 'WARN' })
    const gates = { security_warn: true }
    const audit = review(9, { 'security-audit.jsonl': { r: 'PASS' } }, { during, gates })
    expect((await audit.start())?.reason).toContain('approval security_warn waits')
  }) // C8
})

describe('a review of several plans', () => {
  const plans = ['03-01', '03-02']
  const head = (plan: string, r = 'approve', cycle = 1) => ({ plan, r, cycle })
  const put = (path: string, name: string, ...lines: object[]) =>
    writeFileSync(join(path, name), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))

  it('needs a verdict about each of them: that of another plan does not count', async () => {
    const other = await review(7, { 'code-review.jsonl': head('03-01') }, { plans }).start()
    expect(other?.reason).toContain('code-review.jsonl: no result for plan 03-02')
    const foreign = await review(7, { 'code-review.jsonl': head('03-07') }).start()
    expect(foreign?.reason).toContain('no result for plan 03-01')
    const files = { '03-01.code-review.jsonl': head('03-01'), '03-02.code-review.jsonl': head('03-02') }
    expect(await review(7, files, { plans }).start()).toBeUndefined()
    const both = review(7, {}, { plans })
    put(both.path, 'code-review.jsonl', head('03-01'), { f: 'a', ln: 1, sev: 'nit', issue: 'i' }, head('03-02'))
    expect(await both.start()).toBeUndefined()
  }) // C76

  it('sends only the plan back that did not pass, also when the run is killed after that', async () => {
    const during: Reviewed['during'] = (tasks, _, path) => {
      for (const { subject } of tasks) {
        const [, plan = ''] = /plan (\S+?),? ?(?:cycle|$)/.exec(subject) ?? []
        const isSecond = subject.endsWith('cycle 2')
        if (!subject.startsWith('Step')) continue
        const r = plan === '03-02' && !isSecond ? 'changes_requested' : 'approve'
        put(path, `${plan}.code-review.jsonl`, head(plan, r, isSecond ? 2 : 1))
      }
    }
    const { start, done } = review(7, {}, { plans, during })
    expect(await start()).toBeUndefined()
    const expected = [
      'Step 7 code_review of p as senior, plan 03-01',
      'Step 7 code_review of p as senior, plan 03-02',
      'Rework after step 7 code_review of p, cycle 1, plan 03-02',
      'Step 7 code_review of p as senior, plan 03-02, cycle 2',
    ]
    expect(done).toEqual(expected)
    expect(await start()).toBeUndefined()
    expect(done).toEqual(expected)
  }) // C76

  it('is written to a file per plan, so that no review overwrites another one', () => {
    const work = { department: 'backend', folder: 'p', files: ['03-01.plan.jsonl'], cycle: 1, attempt: 1 }
    const step = organisation.steps.find(({ name }) => name === 'code_review')!
    const descriptions = (some: string[], files: string[] = work.files) =>
      stepTasks(step, { ...work, files, plans: some, roleOf: () => undefined }).map(({ description }) => description)
    expect(descriptions(['03-01'])[0]).toContain('- p/code-review.jsonl')
    expect(descriptions(plans)[1]).toContain('- p/03-02.code-review.jsonl')
    expect(
      descriptions(['03-01'], ['03-01.plan.jsonl', '03-09.plan.jsonl'])[0],
      'a plan of another department',
    ).toContain('- p/03-01.code-review.jsonl')
  }) // C76
})
