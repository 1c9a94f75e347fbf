import type { Mutation } from './mutation.ts'

const random = {
  test: 'src/team/board/random-boards.test.ts',
  fails: 'has the remaining paths and the order of claims that are worked out from nothing',
}

/** Remaining paths on boards that change in any order, are tried on, and are opened again. */
export const mutations: readonly Mutation[] = [
  {
    name: 'path-beyond-the-cap-never-shorter',
    mistake: 'a task keeps the longest path that counts although what follows it became shorter',
    file: 'src/team/board/remaining-path.ts',
    old: 'capped(weight + before) >= now',
    new: 'weight + before === now',
    ...random,
  },
  {
    name: 'paths-settled-by-a-trial',
    mistake: 'a trial that is taken back leaves changed paths as they were before the change',
    file: 'src/team/state.ts',
    old: 'unsettled: new Table(trial)',
    new: 'unsettled: new Table(new Trial())',
    ...random,
  },
  {
    name: 'reopened-task-without-a-path',
    mistake: 'a task that is reopened does not make the paths before it longer',
    file: 'src/team/board/board.ts',
    old: "return (before.status === 'completed') !== (next.status === 'completed')\n}",
    new: "return before.status !== 'completed' && next.status === 'completed'\n}",
    ...random,
  },
  {
    name: 'listed-before-its-path-is-known',
    mistake: 'a new ready task is listed under another path than it has, and stays listed once it is claimed',
    file: 'src/team/board/board.ts',
    old: '  if (!before && next) startPath(state, next)\n',
    new: '  if (!before && next) list(state, next)\n  if (!before && next) startPath(state, next)\n',
    ...random,
  },
  {
    name: 'claim-before-paths-are-settled',
    mistake: 'a claim takes tasks in the order in which they were added, since no one asked for their paths before',
    file: 'src/team/board/decide-claims.ts',
    old: '  settlePaths(state)\n',
    new: '',
    test: 'src/team/fold/long-chain.test.ts',
    fails: 'is claimed and handed over first, although only the claim asks for its path',
  },
  {
    name: 'claimable-before-paths-are-settled',
    mistake: 'agents are started for tasks in the order in which they were added',
    file: 'src/team/progress/claimable-tasks.ts',
    old: '  settlePaths(state)\n',
    new: '',
    test: 'src/team/fold/long-chain.test.ts',
    fails: 'is the first that a role could claim',
  },
]
