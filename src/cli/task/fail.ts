import { member } from '../program/arguments.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { changeTask, NEXT, useTaskUpdate } from './change-task.ts'

export const taskFail: SubCommand<{ as?: string; reason: string; next?: boolean }, [id: string]> = {
  example: "$ deskmates task fail 2 --as ci --reason 'needs a licence we do not have'",
  instead: useTaskUpdate,
  define(command) {
    command
      .argument('<id>', 'the number of the task')
      .option('--as <member>', 'its owner; without it the user', member)
      .requiredOption('--reason <text>', 'why it cannot be done; the lead is notified')
      .option('--next', NEXT)
  },
  run: (call, { as, reason, next }, id) => changeTask(call, { type: 'task.fail', id, reason, next }, as),
}
