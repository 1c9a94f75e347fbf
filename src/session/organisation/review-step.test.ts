import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ApprovalGates } from '../../organisation/guards/approvals.ts'
import type { StepTask } from '../../organisation/phases/step-tasks.ts'
import { engineering } from '../../testing/harnesses/organisation-harness.ts'
import { teamHarness } from '../../testing/harnesses/team-harness.ts'
import type { Phase } from './phase.ts'
import { reviewStep } from './review-step.ts'

const organisation = engineering()

/** A step of the template whose agents leave these artefacts, a line each. */
function review(number: number, artefacts: Record<string, object>, approvalGates: ApprovalGates = {}) {
  const path = mkdtempSync(join(tmpdir(), 'deskmates-review-'))
  for (const [name, line] of Object.entries(artefacts)) writeFileSync(join(path, name), `${JSON.stringify(line)}\n`)
  const team = teamHarness()
  const done: string[] = []
  const start = () =>
    reviewStep({
      phase: { organisation, path, folder: 'p' } as Phase,
      step: organisation.steps.find(({ step }) => step === number)!,
      approvalGates,
      state: team.state,
      work: (cycle) => ({
        ...{ department: 'backend', folder: 'p', files: [], plans: ['03-01'], cycle, attempt: 1 },
        roleOf: (role) => organisation.roles.get(role),
      }),
      async doTasks(tasks) {
        done.push(...tasks.map(({ subject }) => subject))
        return undefined
      },
      async addTask(task: StepTask) {
        const isThere = [...team.state.tasks.values()].some(({ subject }) => subject === task.subject)
        if (!isThere) team.ok({ type: 'task.add', tasks: [task] })
        return undefined
      },
    })
  return { team, done, start }
}

const PASSED = { 'verification.jsonl': { r: 'PASS' }, 'qa-code.jsonl': { r: 'PASS' } }
const complete = (team: ReturnType<typeof teamHarness>, id: string, kind: 'human' | 'external') => {
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
    const { team, start } = review(8, PASSED, { manual_qa: true, qa_fail: true })
    expect(await start()).toMatchObject({ waitsFor: ['1'], reason: expect.stringContaining('manual_qa waits') })
    await start()
    expect(team.state.tasks.size, 'asked once').toBe(1)
    complete(team, '1', 'external')
    expect(await start()).toMatchObject({ isReviewed: true, reason: expect.stringContaining('grace, which is not') })
    const other = review(8, PASSED, { manual_qa: true })
    await other.start()
    complete(other.team, '1', 'human')
    expect(await other.start()).toBeUndefined()
  }) // C8

  it('asks a person before work goes back after a failed QA, and about warnings of an audit', async () => {
    const qa = review(8, { 'verification.jsonl': { r: 'FAIL' }, 'qa-code.jsonl': { r: 'PASS' } }, { qa_fail: true })
    expect((await qa.start())?.reason).toContain('approval qa_fail waits')
    expect(qa.done.some((subject) => subject.startsWith('Rework'))).toBe(false)
    const audit = review(9, { 'security-audit.jsonl': { r: 'WARN' } }, { security_warn: true, code_review: true })
    expect((await audit.start())?.reason).toContain('approval security_warn waits')
  }) // C8
})
