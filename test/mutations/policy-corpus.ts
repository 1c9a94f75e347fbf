import type { Mutation } from './mutation.ts'

const seen = {
  test: 'test/policy/corpus/samples.test.ts',
  fails: 'are not allowed, one for each guard',
} as const

export const mutations: readonly Mutation[] = [
  {
    name: 'printf-sets-variables',
    mistake: 'a format of printf with %n, which sets a variable, counts as printing',
    file: 'src/permissions/shell/builtins.ts',
    old: '[sdiuoxXcfeEgGbq])*$/',
    new: '[sdiuoxXcfeEgGbqn])*$/',
    ...seen,
  },
  {
    name: 'npm-run-env',
    mistake: 'npm run env, which runs its words, counts as a script',
    file: 'src/permissions/shell/tables/node.ts',
    old: "operands[0]?.text === 'env'",
    new: "operands[0]?.text === 'environment'",
    ...seen,
  },
  {
    name: 'fetch-from-folders',
    mistake: 'git fetches from a folder of the clone, whose settings decide what runs',
    file: 'src/permissions/shell/tables/git.ts',
    old: 'test(remote) || setting.exists(remote))',
    new: 'test(remote))',
    ...seen,
  },
  {
    name: 'config-sets',
    mistake: 'git config with a name and a value counts as reading',
    file: 'src/permissions/shell/tables/git.ts',
    old: 'gets || operands.length === 1',
    new: 'gets || operands.length <= 2',
    ...seen,
  },
  {
    name: 'git-enters-nested',
    mistake: 'an allow rule lets git enter a repository that came in as files and is in the index',
    file: 'src/permissions/rules/allows-line.ts',
    old: "const linked = fileLookup.nestedIn(root, 'linked')",
    new: 'const linked: Nested = []',
    test: 'test/policy/nested-repositories.test.ts',
    fails: 'does not cover git status where the index holds a repository that came in as files',
  },
  {
    name: 'added-behind-a-wrapper',
    mistake: 'what git adds behind a wrapper or in a shell is forgotten',
    file: 'src/permissions/rules/allows-line.ts',
    old: '  for (const { line } of step.runs) for (const inner of line.steps) note(inner, before)\n',
    new: '',
    test: 'test/policy/nested-repositories.test.ts',
    fails: 'covers git where such a repository is not in the index, and no line that may add it and go in',
  },
]
