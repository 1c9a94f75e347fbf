import type { Mutation } from './mutation.ts'

/** Recordings of teams, and their replay. */
export const mutations: readonly Mutation[] = [
  {
    name: 'recorded-steps-overlap',
    mistake: 'two steps of a recorded run overlap, so that their order in the file says nothing',
    file: 'src/models/recording/record-order.ts',
    old: '      await before\n',
    new: '',
    test: 'test/models/recording/order.test.ts',
    fails: 'lets one step run at a time, and what its caller does with the result',
  },
  {
    name: 'interrupted-request-not-consumed',
    mistake: 'a request that is interrupted before it begins leaves its line for the next one',
    file: 'src/models/recording/replay.ts',
    old: 'if (!call?.interrupted) signal.throwIfAborted()',
    new: 'signal.throwIfAborted()',
    test: 'test/models/recording/recording.test.ts',
    fails: 'holds that a request was interrupted, and is replayed so even if that came before it began',
  },
]
