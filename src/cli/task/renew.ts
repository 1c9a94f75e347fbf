import { duration, member } from '../program/arguments.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { changeTask, useTaskUpdate } from './change-task.ts'

export const taskRenew: SubCommand<{ as: string; lease?: number }, [id: string]> = {
  example: '$ deskmates task renew 2 --as ci',
  instead: useTaskUpdate,
  define(command) {
    command
      .argument('<id>', 'the number of the task')
      .requiredOption('--as <member>', 'its owner', member)
      .option('--lease <time>', 'another length from now on (10m)', duration)
  },
  run: (call, { as, lease }, id) => changeTask(call, { type: 'task.renew', id, lease }, as),
}
