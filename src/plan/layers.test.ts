import { describe, expect, it } from 'vitest'
import { groupsOf, orderOf } from './layers.ts'
import { parsePlan } from './parse-plan.ts'
import type { Plan } from './plan.ts'

/** A plan `03-NN` whose tasks wait as listed: `{ T2: ['T1'] }`. */
function plan(n: string, tasks: Record<string, string[]>, d: string[] = []): Plan {
  const header = { p: '03', n, t: 'Title', w: Number(n), d, mh: {}, obj: 'Objective' }
  const lines = Object.entries(tasks).map(([id, td]) => ({
    id,
    tp: 'auto',
    a: `do ${id}`,
    f: [],
    v: 'v',
    done: 'done',
    td,
  }))
  const text = [header, ...lines].map((line) => JSON.stringify(line)).join('\n')
  const { plan: parsed, problems } = parsePlan(`03-${n}.plan.jsonl`, text)
  expect(problems).toEqual([])
  return parsed!
}

describe('the groups of a plan', () => {
  it('put each task behind all it waits for, in the order of the file', () => {
    const groups = groupsOf(plan('01', { T3: ['T1'], T1: [], T2: [], T4: ['T3', 'T2'] }))
    expect(groups).toEqual([
      { group: 1, tasks: ['T1', 'T2'] },
      { group: 2, tasks: ['T3'] },
      { group: 3, tasks: ['T4'] },
    ])
  }) // C52, C55

  it('are empty for a plan without tasks, and take a dependency that is listed twice once', () => {
    expect(groupsOf(plan('01', {}))).toEqual([])
    expect(groupsOf(plan('01', { T1: [], T2: ['T1', 'T1'] }))).toHaveLength(2)
  }) // C56, F42
})

describe('the order of several plans', () => {
  it('starts no task of a plan before every task of the plans in its "d"', () => {
    const first = plan('01', { T1: [], T2: ['T1'] })
    const second = plan('02', { T1: [], T2: ['T1'] }, ['03-01'])
    const { layers, criticalPath } = orderOf([first, second])
    expect(layers).toEqual([['03-01/T1'], ['03-01/T2'], ['03-02/T1'], ['03-02/T2']])
    expect(criticalPath).toEqual(['03-01/T1', '03-01/T2', '03-02/T1', '03-02/T2'])
  }) // C53

  it('passes the wait on through a plan without tasks', () => {
    const plans = [plan('01', { T1: [] }), plan('02', {}, ['03-01']), plan('03', { T1: [] }, ['03-02'])]
    expect(orderOf(plans).layers).toEqual([['03-01/T1'], ['03-03/T1']])
  }) // C53

  it('follows a chain of 10,000 tasks without recursion', () => {
    const chain = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`T${i + 1}`, i === 0 ? [] : [`T${i}`]]))
    expect(orderOf([plan('01', chain)]).criticalPath).toHaveLength(10_000)
  })
})
