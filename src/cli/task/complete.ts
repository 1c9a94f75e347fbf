import { member } from '../program/arguments.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { changeTask, NEXT, useTaskUpdate } from './change-task.ts'

interface Options {
  as: string
  result?: string
  commit?: string
  next?: boolean
}

export const taskComplete: SubCommand<Options, [id: string]> = {
  example: "$ deskmates task complete 2 --as ci --result 'all 214 tests pass' --commit 1f3c9ab --next",
  instead: useTaskUpdate,
  define(command) {
    command
      .argument('<id>', 'the number of the task')
      .requiredOption('--as <member>', 'its owner', member)
      .option('--result <text>', 'what came of it')
      .option('--commit <sha>', 'the commit that holds it')
      .option('--next', NEXT)
  },
  run: (call, { as, result, commit, next }, id) =>
    changeTask(call, { type: 'task.complete', id, result, commit, next }, as),
}
