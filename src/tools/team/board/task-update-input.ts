import { z } from 'zod'
import { BoardStatus, Estimate, Priority, type TaskStatus, taskStatus } from '../../../team/task.ts'
import { TeamName } from '../membership-of.ts'

const STATUSES = [...BoardStatus.options, 'deleted'] as const satisfies TaskStatus[]

/** The schema for the model. */
export const UpdateOffer = z.strictObject({
  taskId: z.string().min(1),
  status: z
    .enum(STATUSES)
    .optional()
    .describe('in_progress takes it, completed and failed end it, pending gives it back or reopens it'),
  owner: z.string().nullable().optional().describe('your own name takes it; the lead names another to assign it'),
  result: z.string().min(1).optional().describe('what came of it, with status completed'),
  commit: z.string().min(1).optional().describe('the commit that holds it, with status completed'),
  reason: z.string().min(1).optional().describe('why it failed (needed with status failed) or is given back'),
  subject: z.string().min(1).optional(),
  description: z.string().optional(),
  activeForm: z.string().min(1).optional(),
  role: z.string().min(1).nullable().optional().describe('which role may take it; null: any'),
  assignee: z.string().min(1).nullable().optional().describe('the only member that may take it; null: any'),
  files: z.array(z.string()).optional(),
  priority: Priority.optional(),
  estimate: Estimate.optional(),
  wakeLead: z.boolean().optional().describe('the lead takes a turn as soon as it ends (lead only)'),
  addBlockedBy: z.array(z.string()).optional().describe('tasks this one has to wait for (lead only)'),
  removeBlockedBy: z.array(z.string()).optional(),
  addBlocks: z.array(z.string()).optional().describe('tasks that have to wait for this one (lead only)'),
  detach: z.boolean().optional().describe('with status deleted: tasks that wait for it go on without it'),
  team_name: TeamName,
})
export type UpdateInput = z.infer<typeof UpdateOffer>

/** What is checked: other words for a status are accepted, and some fields need a certain status. */
export const UpdateInput: z.ZodType<UpdateInput> = UpdateOffer.extend({
  status: z.string().transform(toTaskStatus).optional(),
}).superRefine((input, context) => {
  const issue = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message })
  const { status } = input
  for (const field of ['result', 'commit'] as const)
    if (input[field] !== undefined && status !== 'completed') issue(field, 'goes with status completed')
  if (status === 'failed' && input.reason === undefined) issue('reason', 'is needed with status failed')
  if (input.reason !== undefined && status !== 'failed' && status !== 'pending')
    issue('reason', 'goes with status failed or pending')
  if (input.detach !== undefined && status !== 'deleted') issue('detach', 'goes with status deleted')
})

/** Other names under which models write these parameters. */
export const UPDATE_SYNONYMS = {
  task_id: 'taskId',
  id: 'taskId',
  active_form: 'activeForm',
  wake_lead: 'wakeLead',
  add_blocked_by: 'addBlockedBy',
  add_blocks: 'addBlocks',
  remove_blocked_by: 'removeBlockedBy',
}

/** Accepts available, claimed and complete too. */
function toTaskStatus(text: string, context: z.RefinementCtx): TaskStatus {
  const status = taskStatus(text)
  if (status) return status
  context.addIssue({ code: 'custom', message: `'${text}' is not a task status. Use ${STATUSES.join(', ')}` })
  return z.NEVER
}
