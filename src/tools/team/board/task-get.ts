import { z } from 'zod'
import { type TaskView, taskView } from '../../../team/view.ts'
import { defineTool, jsonSchemaOf } from '../../define-tool.ts'
import { seatOf } from '../membership-of.ts'
import { NotDone } from '../not-done.ts'
import { TeamName } from '../team-name.ts'
import { withAliases } from '../with-aliases.ts'
import description from './task-get.md'

const Input = z.strictObject({ taskId: z.string().min(1), team_name: TeamName })

export const taskGet = defineTool({
  name: 'TaskGet',
  description,
  input: withAliases(Input, { task_id: 'taskId', id: 'taskId' }),
  schema: jsonSchemaOf('TaskGet', Input),
  onlyLooks: true,
  action: () => undefined,
  async run({ taskId, team_name }, world) {
    const seat = await seatOf(world, team_name)
    const task = seat.state.tasks.get(taskId)
    if (!task) throw new NotDone(`Task ${taskId} not found. TaskList shows those there are.`)
    const view = await seat.loadLongTexts(taskView(seat.state, task))
    return { text: await world.outputs.fit(JSON.stringify(told(view), null, 2), 'task') }
  },
})

/** Without times and places in the journal: a conversation reads the same when it is played again. */
function told({ createdAt, claimedAt, completedAt, leaseUntil, seq, ended, ...task }: TaskView): object {
  return { ...task, ended: ended.map(({ claimedAt, endedAt, ...attempt }) => attempt) }
}
