import { describe, expect, it } from 'vitest'
import { engineering } from '../../testing/harnesses/organisation-harness.ts'
import { teamHarness } from '../../testing/harnesses/team-harness.ts'
import { checkContent } from '../routing/check-content.ts'
import { departmentResult } from './department-result.ts'

const organisation = engineering()
const folder = '.yolo-planning/phases/03-api'
const ended = { name: 'backend', folder, problem: undefined }

function department() {
  const team = teamHarness()
  for (const name of ['qa', 'sec', 'tess', 'dev']) team.join(name)
  const step = (number: number, name: string, status: 'started' | 'completed' | 'skipped' | 'failed') =>
    team.ok({ type: 'step.change', change: { folder, step: number, name, status, artefacts: [], reason: null } })
  const send = (type: 'qa_result' | 'qa_code_result' | 'security_audit' | 'test_plan_result', content: object) =>
    team.send({ type, to: 'lead', content: JSON.stringify(content) }, 'qa')
  const plan = (id: string) => {
    const facts = { id, title: id, objective: 'x', wave: 1, folder, hash: id }
    team.ok({ type: 'plan.load', plan: { ...facts, tasks: [{ id: `${id}/T1`, subject: 'x' }] } })
    team.ok({ type: 'task.claim', id: `${id}/T1` }, 'dev')
    return team.ok({ type: 'task.complete', id: `${id}/T1` }, 'dev')
  }
  return { team, step, send, plan }
}

describe('the result of a department', () => {
  it('has every field of its hand-off, from what was reported while the steps ran', () => {
    const { team, step, send, plan } = department()
    send('test_plan_result', { plan_id: '03-01', total_tests: 2, all_red: true })
    plan('03-01')
    plan('03-02')
    step(8, 'qa', 'started')
    send('qa_result', { tier: 'standard', result: 'PASS' })
    send('qa_code_result', { tier: 'standard', result: 'PARTIAL' })
    step(8, 'qa', 'completed')
    step(9, 'security', 'started')
    send('security_audit', { result: 'WARN' })
    step(9, 'security', 'completed')
    const result = departmentResult(organisation, team.state, ended)
    expect(result).toEqual({
      ...{ department: 'backend', phase: '03', result: 'PASS', plans_completed: 2, plans_total: 2 },
      ...{ qa_result: 'PARTIAL', security_result: 'WARN', tdd_coverage: '1 of 2 plans red_green' },
    })
    const handoff = organisation.handoffs.get('department_result')!
    expect(checkContent('department_result', handoff, JSON.stringify(result))).toHaveProperty('fields')
  }) // C70, table C.6

  it('says skipped for a step that was left out, FAIL for one that failed, and why it stopped', () => {
    const { team, step } = department()
    step(8, 'qa', 'started')
    step(8, 'qa', 'failed')
    step(9, 'security', 'skipped')
    const result = departmentResult(organisation, team.state, { ...ended, problem: 'step 8 (qa): not passed' })
    expect(result).toMatchObject({ result: 'FAIL', qa_result: 'FAIL', security_result: 'skipped', plans_total: 0 })
    const handoff = organisation.handoffs.get('department_result')!
    expect(checkContent('department_result', handoff, JSON.stringify(result))).toHaveProperty('fields')
  })

  it('does not count what was reported before the step began', () => {
    const { team, step, send } = department()
    send('qa_result', { tier: 'standard', result: 'FAIL' })
    team.now += 5
    step(8, 'qa', 'started')
    step(8, 'qa', 'completed')
    expect(departmentResult(organisation, team.state, ended)).toMatchObject({ qa_result: 'PASS' })
  })
})
