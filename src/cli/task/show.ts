import { blockingTasks } from '../../team/board/board.ts'
import { Refused } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { teamFlag, withTeam } from '../workspace/open-team.ts'
import { printTask, shownTask } from './print-task.ts'

export const taskShow: SubCommand<object, [id: string]> = {
  example: '$ deskmates task show 3 --json',
  define(command) {
    command.argument('<id>', 'the number of the task')
  },
  run: (call, _options, id) =>
    withTeam(call, 'read', async ({ state, loadLongTexts: whole }) => {
      const task = state.tasks.get(id)
      if (!task) {
        const message = `There is no task ${JSON.stringify(id)}. See: deskmates task list${teamFlag(call, state)}`
        throw new Refused({ code: 'unknown_task', message })
      }
      const shown = await whole(shownTask(state, task, call.clock.now()))
      const isPlain = task.blockedBy.every((dependency) => state.tasks.has(dependency))
      await printTask(call, isPlain ? shown : { ...shown, blocked_by: blockingTasks(state, task) })
    }),
}
