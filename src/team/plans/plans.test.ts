import { describe, expect, it } from 'vitest'
import { teamHarness } from '../../testing/harnesses/team-harness.ts'
import { dumpState, stateFrom } from '../fold/snapshot.ts'
import type { PlanDraft } from './plan.ts'

const draft = (id: string, tasks: PlanDraft['tasks'], hash = 'h1'): PlanDraft => ({
  ...{ id, title: `Plan ${id}`, objective: 'Objective', wave: 1, folder: 'phases/03', hash, tasks },
})
const task = (id: string, blockedBy: string[] = [], files: string[] = []) => ({
  id,
  subject: `Do ${id}`,
  blockedBy,
  files,
})

function world() {
  const team = teamHarness()
  team.join('ada')
  const claim = (id: string) => team.ok({ type: 'task.claim', id }, 'ada')
  return {
    ...team,
    get state() {
      return team.state
    },
    load: (plan: PlanDraft) => team.ok({ type: 'plan.load', plan }),
    claim,
    complete(id: string, commit?: string) {
      claim(id)
      return team.ok({ type: 'task.complete', id, ...(commit && { commit }) }, 'ada')
    },
  }
}

describe('loading a plan', () => {
  it('puts all its tasks on the board under their own ids, and the next plan behind it', () => {
    const team = world()
    team.load(draft('03-01', [task('03-01/T1'), task('03-01/T2', ['03-01/T1'])]))
    team.load(draft('03-02', [task('03-02/T1', ['03-01'])]))
    expect([...team.state.tasks.keys()]).toEqual(['03-01/T1', '03-01/T2', '03-02/T1'])
    expect(team.state.plans.get('03-01')).toMatchObject({ tasks: 2, folder: 'phases/03', summary: null })
    team.complete('03-01/T1')
    expect(team.run({ type: 'task.claim', id: '03-02/T1' }, 'ada')).toMatchObject({ code: 'not_ready' })
    team.complete('03-01/T2')
    team.claim('03-02/T1')
  }) // C41, C42, C53

  it('changes nothing the second time, and is refused for other content', () => {
    const team = world()
    const plan = draft('03-01', [task('03-01/T1')])
    team.load(plan)
    expect(team.load(plan)).toMatchObject({ note: 'Plan 03-01 is already loaded.' })
    const other = team.run({ type: 'plan.load', plan: { ...plan, hash: 'h2' } })
    expect(other).toMatchObject({ code: 'wrong_state', details: { problem: 'plan_changed', plan: '03-01' } })
    expect(team.state.tasks.size).toBe(1)
  })

  it('is for the lead and the user only, and loads all or nothing', () => {
    const team = world()
    expect(team.run({ type: 'plan.load', plan: draft('03-01', [task('03-01/T1')]) }, 'ada')).toMatchObject({
      code: 'not_allowed',
    })
    const broken = draft('03-01', [task('03-01/T1'), task('03-01/T2', ['03-09'])])
    expect(team.run({ type: 'plan.load', plan: broken })).toMatchObject({ code: 'unknown_dependency' })
    expect(team.state.plans.size + team.state.tasks.size).toBe(0)
  })
})

describe('the summary of a plan', () => {
  it('is recorded with the end of its last task', () => {
    const team = world()
    team.load(draft('03-01', [task('03-01/T1', [], ['src/a.ts']), task('03-01/T2', [], ['src/a.ts', 'src/b.ts'])]))
    team.complete('03-01/T1', 'abc1234')
    expect(team.state.plans.get('03-01')?.summary).toBeNull()
    team.complete('03-01/T2')
    expect(team.state.plans.get('03-01')?.summary).toMatchObject({
      ...{
        p: '03',
        n: '01',
        t: 'Plan 03-01',
        s: 'complete',
        dt: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        tc: 2,
        tt: 2,
        ch: ['abc1234'],
      },
      ...{ fm: ['src/a.ts', 'src/b.ts'], dv: [], built: ['Do 03-01/T1', 'Do 03-01/T2'], tst: 'no_tests' },
    })
  }) // C38, C39

  it('is partial with a failed task, and is taken back when that task is reopened', () => {
    const team = world()
    team.load(draft('03-01', [task('03-01/T1'), task('03-01/T2')]))
    team.complete('03-01/T1')
    team.claim('03-01/T2')
    team.ok({ type: 'task.fail', id: '03-01/T2', reason: 'no such API' }, 'ada')
    expect(team.state.plans.get('03-01')?.summary).toMatchObject({
      s: 'partial',
      tc: 1,
      dv: ['03-01/T2 failed: no such API'],
    })
    team.ok({ type: 'task.update', id: '03-01/T2', status: 'pending' })
    expect(team.state.plans.get('03-01')?.summary).toBeNull()
    team.complete('03-01/T2')
    expect(team.state.plans.get('03-01')?.summary).toMatchObject({ s: 'complete', dv: [] })
  })

  it('is failed without a completed task, and names only files of completed tasks and own deviations', () => {
    const team = world()
    team.load(draft('03-01', [task('03-01/T1', [], ['src/a.ts'])]))
    team.load(draft('03-02', [task('03-02/T1', [], ['src/b.ts'])]))
    for (const id of ['03-01/T1', '03-02/T1'])
      team.report([{ type: 'deviation.noted', member: 'ada', task: id, text: `left ${id}` }], 'ada')
    team.claim('03-01/T1')
    team.ok({ type: 'task.fail', id: '03-01/T1', reason: 'no such API' }, 'ada')
    const dv = ['03-01/T1 failed: no such API', '03-01/T1 (ada): left 03-01/T1']
    expect(team.state.plans.get('03-01')?.summary).toMatchObject({ s: 'failed', tc: 0, tt: 1, fm: [], dv })
  })

  it.each([
    ['red_green', { plan_id: '03-01', total_tests: 3, all_red: true }, 'src/a.ts'],
    [
      'red_green',
      { type: 'test_plan_result', payload: { plan_id: '03-01', total_tests: 3, all_red: true } },
      'src/a.ts',
    ],
    ['green_only', { plan_id: '03-01', total_tests: 3, all_red: false }, 'src/a.ts'],
    ['green_only', { plan_id: '03-02', total_tests: 3, all_red: true }, 'src/a.test.ts'],
    ['no_tests', { plan_id: '03-01', total_tests: 0, all_red: true }, 'src/a.ts'],
    ['no_tests', { plan_id: '03-02', total_tests: 3, all_red: true }, 'src/contest.ts'],
  ])('says %s of the tests after %j', (tst, content, file) => {
    const team = world()
    team.join('tess')
    team.send({ type: 'test_plan_result', to: 'ada', content: JSON.stringify(content) }, 'tess')
    team.load(draft('03-01', [task('03-01/T1', [], [file])]))
    team.complete('03-01/T1')
    expect(team.state.plans.get('03-01')?.summary?.tst).toBe(tst)
    expect([...stateFrom(dumpState(team.state)).results.values()]).toEqual([...team.state.results.values()])
  }) // C38

  it('says red_green only when every task is completed', () => {
    const team = world()
    const content = JSON.stringify({ plan_id: '03-01', total_tests: 3, all_red: true })
    team.send({ type: 'test_plan_result', to: 'lead', content }, 'ada')
    team.load(draft('03-01', [task('03-01/T1'), task('03-01/T2')]))
    team.complete('03-01/T1')
    team.claim('03-01/T2')
    team.ok({ type: 'task.fail', id: '03-01/T2', reason: 'tests fail' }, 'ada')
    expect(team.state.plans.get('03-01')?.summary).toMatchObject({ s: 'partial', tst: 'green_only' })
  }) // C38

  it('names a commit of several tasks once', () => {
    const team = world()
    team.load(draft('03-01', [task('03-01/T1'), task('03-01/T2')]))
    for (const id of ['03-01/T1', '03-01/T2']) team.complete(id, 'abc1234')
    expect(team.state.plans.get('03-01')?.summary?.ch).toEqual(['abc1234'])
  })

  it('is recorded when the last open task is deleted, and not for tasks without a loaded plan', () => {
    const team = world()
    team.load(draft('03-01', [task('03-01/T1'), task('03-01/T2')]))
    team.complete('03-01/T1')
    team.ok({ type: 'task.update', id: '03-01/T2', status: 'deleted' })
    expect(team.state.plans.get('03-01')?.summary).toMatchObject({ s: 'complete', tc: 1, tt: 1 })
    team.ok({ type: 'task.add', tasks: [task('03-09/T1')] }, 'lead')
    team.complete('03-09/T1')
    expect(team.journal.at(-1)?.events).toMatchObject([{ type: 'task.completed', id: '03-09/T1' }])
  })

  it('is complete at once for a plan without tasks', () => {
    const team = world()
    team.load(draft('03-01', []))
    expect(team.state.plans.get('03-01')?.summary).toMatchObject({ s: 'complete', tc: 0, tt: 0 })
  })

  it('is part of a snapshot', () => {
    const team = world()
    team.load(draft('03-01', []))
    expect(stateFrom(dumpState(team.state)).plans.get('03-01')).toEqual(team.state.plans.get('03-01'))
  })
})
