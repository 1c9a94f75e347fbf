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
  {
    name: 'snapshot-by-records-only',
    mistake: 'few long records get no snapshot, and every process parses them again',
    file: 'src/journal/fold/fold.ts',
    old: '&& unsaved.bytes < worthBytes) return',
    new: ') return',
    test: 'src/journal/fold/fold.test.ts',
    fails: 'writes a snapshot after many records, after few long ones, and not after few short ones',
  },
  {
    name: 'snapshot-per-megabyte',
    mistake: 'a process that folds much writes its whole state for every megabyte',
    file: 'src/journal/fold/fold.ts',
    old: 'worthBytes *= 2',
    new: '',
    test: 'src/journal/fold/fold.test.ts',
    fails: 'needs twice as many bytes for each further snapshot, since a snapshot holds the whole state',
  },
  {
    name: 'snapshot-after-each-record',
    mistake: 'after its first snapshot a process writes one for every record',
    file: 'src/journal/fold/fold.ts',
    old: '      unsaved = { records: 0, bytes: 0 }\n      worthBytes',
    new: '      worthBytes',
    test: 'src/journal/fold/fold.test.ts',
    fails: 'counts records anew after each snapshot',
  },
  {
    name: 'snapshots-at-the-same-length',
    mistake: 'all processes write their snapshot of long records at the same moment',
    file: 'src/journal/fold/fold.ts',
    old: 'let worthBytes = SNAPSHOT_BYTES * spread',
    new: 'let worthBytes = SNAPSHOT_BYTES',
    test: 'src/journal/fold/fold.test.ts',
    fails: 'of each process comes to its snapshot',
  },
  {
    name: 'answer-before-its-batch-is-durable',
    mistake: 'a member hears that it holds a task already, and a power cut takes the claim',
    file: 'src/journal/appender.ts',
    old: 'else appended.durable.then(() => entry.settle(result), entry.fail)\n      }\n      queue',
    new: 'else entry.settle(result)\n      }\n      queue',
    test: 'test/crash/promises.test.ts',
    fails: 'answers a command that changes nothing when what it relies on in the same write is durable',
  },
]
