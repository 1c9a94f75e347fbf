import { z } from 'zod'
import { type TaskView, taskView } from '../../../team/answers/view.ts'
import { defineOwnTool } from '../../own-tool.ts'
import { membershipOf, TeamName } from '../membership-of.ts'
import { NotDone } from '../not-done.ts'
import description from './task-get.md'

const Input = z.strictObject({ taskId: z.string().min(1), team_name: TeamName })

export const taskGet = defineOwnTool({
  name: 'TaskGet',
  roles: ['lead'],
  needsTeam: true,
  description,
  input: Input,
  synonyms: { task_id: 'taskId', id: 'taskId' },
  isReadOnly: true,
  action: () => undefined,
  async run({ taskId, team_name }, context) {
    const membership = await membershipOf(context, team_name)
    const task = membership.state.tasks.get(taskId)
    if (!task) throw new NotDone(`Task ${taskId} not found. TaskList shows all tasks.`)
    const view = await membership.loadLongTexts(taskView(membership.state, task))
    return context.outputs.fit(JSON.stringify(withoutTimes(view), null, 2), 'task')
  },
})

/** Without times and journal positions: a replayed conversation must read the same. */
function withoutTimes({ createdAt, claimedAt, completedAt, leaseUntil, seq, ended, ...task }: TaskView): object {
  return { ...task, ended: ended.map(({ claimedAt, endedAt, ...attempt }) => attempt) }
}
