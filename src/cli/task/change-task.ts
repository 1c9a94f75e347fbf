import type { Command as TeamCommand } from '../../team/command.ts'
import { printMessage } from '../output/print.ts'
import type { Call } from '../program/context.ts'
import { granted } from '../program/failure.ts'
import { acting, type Intent, withTeam } from '../workspace/open-team.ts'
import { printTask } from './print-task.ts'

type TaskCommand = Extract<TeamCommand, { type: `task.${string}` }>

/** Runs one decision on behalf of a member and prints the task as it is afterwards. */
export function changeTask(
  call: Call,
  command: TaskCommand,
  as: string | undefined,
  intent: Intent = 'write',
): Promise<void> {
  return withTeam(call, intent, async (team) => {
    const answer = granted(await team.run(command, await acting(call, team, as)))
    const { tasks = [], note, unblocked = [], earlierAttempts } = answer
    const attempts = earlierAttempts && { earlierAttempts }
    const next = answer.next && { ...answer.next, ...attempts }
    if (note) await printMessage(call, note)
    if (tasks[0])
      await printTask(call, { ...tasks[0], ...(next === undefined ? attempts : call.globals.json && { next }) })
    else if ('id' in command) await printMessage(call, `Task ${command.id} deleted.`)
    if (unblocked.length > 0) await printMessage(call, `Now ready: ${unblocked.join(', ')}`)
    if (next && !call.globals.json) await printTask(call, next)
    if (next === null) await printMessage(call, 'No next task right now.')
  })
}

/** Of the commands that end a task. */
export const NEXT = 'claim the next task for its owner in the same step, with the same lease'

export const useTaskUpdate = () => 'Use your TaskUpdate tool.'
