import type { Mutation } from './mutation.ts'

const models = 'test/models/promises.test.ts'

export const mutations: readonly Mutation[] = [
  {
    name: 'retry-after-output',
    mistake: 'A model is asked again although part of its answer was shown',
    file: 'src/models/retry.ts',
    old: '  if (failure.emitted) return undefined\n',
    new: '',
    test: models,
    fails: 'does not retry an answer once part of it was shown',
  },
  {
    name: 'empty-success',
    mistake: 'An answer without content counts as a success',
    file: 'src/models/providers/model-from.ts',
    old: '    if (assembly.isEmpty) throw emptyAnswer(end, failed)\n',
    new: '',
    test: models,
    fails: 'never treats an empty answer as a success',
  },
]
