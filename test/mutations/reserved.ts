import type { Mutation } from './mutation.ts'

export const mutations: readonly Mutation[] = [
  {
    name: 'reserved-stamp-by-time',
    mistake: 'a command that sets the time of a reserved file back changes it unnoticed',
    file: 'src/tools/reservations/watch-command.ts',
    old: ', stats.mtimeNs, stats.ctimeNs]',
    new: ', stats.mtimeNs]',
    test: 'src/tools/reservations/watch-command.test.ts',
    fails: 'finds a file of the same size whose time of writing was set back',
  },
  {
    name: 'reserved-job-unwatched',
    mistake: 'a background command changes reserved files unnoticed',
    file: 'src/tools/reservations/announce-reserved.ts',
    old: '{ ...context, jobs }',
    new: 'context',
    test: 'src/session/reserved-files.test.ts',
    fails: 'is written by a background command, and both are notified when that ends',
  },
  {
    name: 'reserved-told-once-per-task',
    mistake: 'The next owner of a task is not told of a write, because an earlier owner was',
    file: 'src/tools/reservations/announce-reserved.ts',
    old: 'task.id, task.attempts, words',
    new: 'task.id, words',
    test: 'src/session/reserved-files.test.ts',
    fails: 'is announced again to the next owner of the same task',
  },
  {
    name: 'reserved-stopped-command-untold',
    mistake: 'No agent is informed of a reserved file that a command changed before it was stopped',
    file: 'src/tools/reservations/announce-reserved.ts',
    old: 'await announceChanges(watch, context, announced).catch(() => {})',
    new: '',
    test: 'src/tools/reservations/announce-reserved.test.ts',
    fails: 'informs the owner of a reserved file that a stopped command has changed',
  },
]
