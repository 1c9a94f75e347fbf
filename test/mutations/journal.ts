import type { Mutation } from './mutation.ts'

const crash = 'test/crash/promises.test.ts'

export const mutations: readonly Mutation[] = [
  {
    name: 'position-based-after',
    mistake: 'A decision is accepted by its position in the log instead of by the decision it follows',
    file: 'src/journal/log/acceptance.ts',
    old: "return complete ? 'broken' : 'refused'",
    new: "return 'accepted'",
    test: crash,
    fails: 'stops reading at a decision whose predecessor is missing',
  },
  {
    name: 'view-before-sync',
    mistake: 'A view shows records that a power cut may still take from the journal',
    file: 'src/journal/views/view-writer.ts',
    old: 'await atTheEnd(({ state, cursor }) => views.write(state, cursor))',
    new: 'await views.write(appender.fold.state, appender.fold.cursor)',
    test: crash,
    fails: 'syncs the journal before a view shows it',
  },
]
