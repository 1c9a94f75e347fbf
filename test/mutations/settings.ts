import type { Mutation } from './mutation.ts'

export const mutations: readonly Mutation[] = [
  {
    name: 'ask-rules-replaced',
    mistake: 'the ask rules of one settings file replace those of another',
    file: 'src/settings/layers.ts',
    old: '(allow|ask|deny)',
    new: '(allow|deny)',
    test: 'src/settings/settings.test.ts',
    fails: 'combine the rules of all files',
  },
]
