import type { TaskStatus } from '../../team/task.ts'
import { estimate, list, member, memberOrNone, priority, roleOrNone, status } from '../program/arguments.ts'
import { Misused } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { changeTask, useTaskUpdate } from './change-task.ts'

interface Options {
  subject?: string
  description?: string
  status?: TaskStatus
  assignee?: string
  addBlockedBy?: readonly string[]
  removeBlockedBy?: readonly string[]
  files?: readonly string[]
  role?: string
  priority?: number
  estimate?: number
  wakeLead?: boolean
  detach?: boolean
  as?: string
}

export const taskUpdate: SubCommand<Options, [id: string]> = {
  example: `$ deskmates task update 3 --assignee ada --priority 8
$ deskmates task update 3 --status pending            reopen it
$ deskmates task update 3 --status deleted --detach   delete it; dependent tasks no longer wait`,
  instead: useTaskUpdate,
  define(command) {
    command
      .argument('<id>', 'the number of the task')
      .option('--subject <text>', 'what is to be done, in one line')
      .option('--description <text>', 'everything its owner needs to know')
      .option('--status <status>', 'pending reopens, deleted deletes, in_progress claims, completed completes', status)
      .option('--detach', 'with --status deleted: tasks that depend on it no longer wait')
      .option('--assignee <member>', "only this member may claim it; '' for any", memberOrNone)
      .option('--add-blocked-by <ids>', 'tasks or plans that come first', list)
      .option('--remove-blocked-by <ids>', 'no longer wait for these', list)
      .option('--files <paths>', "what its owner will change; '' for none", list)
      .option('--role <role>', "only members of this role may claim it; '' for any", roleOrNone)
      .option('--priority <n>', '0 to 10, the highest first', priority)
      .option('--estimate <n>', 'how much work it is, compared with an ordinary task, which counts 1', estimate)
      .option('--wake-lead', 'the lead takes a turn as soon as it ends')
      .option('--no-wake-lead', 'its result waits for the next turn of the lead')
      .option('--as <member>', 'on behalf of a joined member', member)
  },
  async run(call, { as, ...changes }, id) {
    if (Object.keys(changes).length === 0) throw new Misused('No changes given. See: deskmates task update --help')
    const { role, assignee } = changes
    const none = { ...(role === '' && { role: null }), ...(assignee === '' && { assignee: null }) }
    await changeTask(call, { type: 'task.update', id, ...changes, ...none }, as)
  },
}
