import { z } from 'zod'
import { taskStateText } from '../../../prompts/task-state.ts'
import { Estimate, Priority } from '../../../team/task.ts'
import { defineOwnTool } from '../../own-tool.ts'
import { membershipOf, TeamName } from '../membership-of.ts'
import { granted } from '../not-done.ts'
import description from './task-create.md'

const Input = z.strictObject({
  subject: z.string().min(1).describe('what is to be done, in one line'),
  description: z.string().describe('all that its owner has to know'),
  activeForm: z.string().min(1).optional().describe('shown while it is worked on'),
  blockedBy: z.array(z.string()).optional().describe('ids of tasks that have to be completed first'),
  role: z.string().min(1).optional().describe('only members with this role may take it'),
  assignee: z.string().min(1).optional().describe('only this member may take it'),
  files: z.array(z.string()).optional().describe('files or folders it changes; no two tasks in progress share any'),
  priority: Priority.optional().describe('10 is taken first, 0 last; 5 if left out'),
  estimate: Estimate.optional().describe('how much work it is, compared with an ordinary task, which counts 1'),
  wakeLead: z.boolean().optional().describe('true: the lead takes a turn as soon as it ends'),
  team_name: TeamName,
})

/** Begins its result, before the id of the task. */
export const CREATED_TASK = 'Task #'

export const taskCreate = defineOwnTool({
  name: 'TaskCreate',
  roles: ['lead', 'teammate'],
  needsTeam: true,
  description,
  input: Input,
  synonyms: { active_form: 'activeForm', blocked_by: 'blockedBy', wake_lead: 'wakeLead' },
  action: () => undefined,
  async run({ team_name, ...draft }, context) {
    const membership = await membershipOf(context, team_name)
    const { tasks } = granted(await membership.run({ type: 'task.add', tasks: [draft] }))
    const [task] = tasks ?? []
    return `${CREATED_TASK}${task?.id} created: ${task?.subject} (${task && taskStateText(task)}).`
  },
})
