import type { Mutation } from './mutation.ts'

const test = 'test/bench/verdict.test.ts'

/** What the benchmark counts as measured and as met. */
export const mutations: readonly Mutation[] = [
  {
    name: 'ratio-judged-as-a-count',
    mistake: 'a row of ratios of which one round has no limit is judged by its own numbers, which meet every goal',
    file: 'bench/verdict.mjs',
    old: 'limits.every((limit) => limit === undefined)',
    new: 'limits.includes(undefined)',
    test,
    fails: 'does not pass a row with a round that lacks a number',
  },
  {
    name: 'missing-number-counts-as-zero',
    mistake: 'a worker that measured nothing sends null, which counts as 0 and meets the goal',
    file: 'bench/verdict.mjs',
    old: 'if (!numbers.every(Number.isFinite)) return',
    new: 'if (numbers.includes(undefined)) return',
    test,
    fails: 'does not pass a row with a round that lacks a number',
  },
  {
    name: 'not-measured-passes',
    mistake: 'a row that could not be measured does not keep the benchmark from passing',
    file: 'bench/verdict.mjs',
    old: "verdict !== 'met' && verdict !== 'measured'",
    new: "verdict === 'missed'",
    test,
    fails: 'fails on a missed goal and on a row that was not measured',
  },
  {
    name: 'goal-of-requests-raised',
    mistake: 'the benchmark passes with as many model requests as before the hand-over of tasks',
    file: 'bench/team/makespan-rows.mjs',
    old: 'atMost: 135',
    new: 'atMost: 165',
    test: 'test/bench/goals.test.ts',
    fails: 'the rows of the benchmark that prove what a team costs have the goals that were promised',
  },
]
