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
    fails: 'runs one step at a time, together with the synchronous use of its result',
  },
  {
    name: 'interrupted-request-not-consumed',
    mistake: 'a request that is interrupted before it begins leaves its line for the next one',
    file: 'src/models/recording/replay.ts',
    old: 'if (!call?.interrupted) signal.throwIfAborted()',
    new: 'signal.throwIfAborted()',
    test: 'test/models/recording/recording.test.ts',
    fails: 'contains that a request was interrupted, and replays that even if the abort came before the request',
  },
]
