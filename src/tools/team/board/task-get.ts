import { z } from 'zod'
import { type TaskView, taskView } from '../../../team/view.ts'
import { defineOwnTool } from '../../own-tool.ts'
import { membershipOf } from '../membership-of.ts'
import { NotDone } from '../not-done.ts'
import { TeamName } from '../team-name.ts'
import description from './task-get.md'

const Input = z.strictObject({ taskId: z.string().min(1), team_name: TeamName })

export const taskGet = defineOwnTool({
  name: 'TaskGet',
  roles: ['lead'],
  needsTeam: true,
  description,
  input: Input,
  synonyms: { task_id: 'taskId', id: 'taskId' },
  onlyLooks: true,
  action: () => undefined,
  async run({ taskId, team_name }, context) {
    const membership = await membershipOf(context, team_name)
    const task = membership.state.tasks.get(taskId)
    if (!task) throw new NotDone(`Task ${taskId} not found. TaskList shows those there are.`)
    const view = await membership.loadLongTexts(taskView(membership.state, task))
    return { text: await context.outputs.fit(JSON.stringify(told(view), null, 2), 'task') }
  },
})

/** Without times and places in the journal: a conversation reads the same when it is played again. */
function told({ createdAt, claimedAt, completedAt, leaseUntil, seq, ended, ...task }: TaskView): object {
  return { ...task, ended: ended.map(({ claimedAt, endedAt, ...attempt }) => attempt) }
}
