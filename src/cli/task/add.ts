import { estimate, list, member, priority, role } from '../program/arguments.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { changeTask } from './change-task.ts'

interface Options {
  description?: string
  blockedBy?: string[]
  files?: string[]
  role?: string
  assignee?: string
  priority?: number
  estimate?: number
  wakeLead?: boolean
  as?: string
}

export const taskAdd: SubCommand<Options, [subject: string]> = {
  example: "$ deskmates task add 'Write the parser' --files src/parser/ --blocked-by 1",
  instead: () => 'Use your TaskCreate tool.',
  define(command) {
    command
      .argument('<subject>', 'what is to be done, in one line')
      .option('--description <text>', 'everything its owner needs to know')
      .option('--blocked-by <ids>', 'tasks or plans that come first, like 1,2', list)
      .option('--files <paths>', 'what its owner will change, like src/api/,README.md', list)
      .option('--role <role>', 'only members of this role may claim it', role)
      .option('--assignee <member>', 'only this member may claim it', member)
      .option('--priority <n>', '0 to 10, the highest first; 5 if not given', priority)
      .option('--estimate <n>', 'how much work it is, compared with an ordinary task, which counts 1', estimate)
      .option('--wake-lead', 'the lead takes a turn as soon as it ends')
      .option('--as <member>', 'on behalf of a joined member', member)
  },
  run: (call, { as, ...draft }, subject) =>
    changeTask(call, { type: 'task.add', tasks: [{ subject, ...draft }] }, as, 'create'),
}
