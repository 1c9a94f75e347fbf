import { member } from '../program/arguments.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { changeTask, useTaskUpdate } from './change-task.ts'

export const taskComplete: SubCommand<{ as: string; result?: string; commit?: string }, [id: string]> = {
  example: "$ deskmates task complete 2 --as ci --result 'all 214 tests pass' --commit 1f3c9ab",
  instead: useTaskUpdate,
  define(command) {
    command
      .argument('<id>', 'the number of the task')
      .requiredOption('--as <member>', 'its owner', member)
      .option('--result <text>', 'what came of it')
      .option('--commit <sha>', 'the commit that holds it')
  },
  run: (call, { as, result, commit }, id) => changeTask(call, { type: 'task.complete', id, result, commit }, as),
}
