import { member } from '../program/arguments.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { changeTask, useTaskUpdate } from './change-task.ts'

export const taskRelease: SubCommand<{ as?: string; force?: boolean; reason?: string }, [id: string]> = {
  example: `$ deskmates task release 2 --as ci
$ deskmates task release 2 --force        as the user, for any owner`,
  instead: useTaskUpdate,
  define(command) {
    command
      .argument('<id>', 'the number of the task')
      .option('--as <member>', 'its owner; without it the user, who needs --force', member)
      .option('--force', "take another member's claim away")
      .option('--reason <text>', 'kept with the attempt')
  },
  run: (call, { as, force, reason }, id) => changeTask(call, { type: 'task.release', id, force, reason }, as),
}
