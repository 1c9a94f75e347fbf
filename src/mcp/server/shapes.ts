import { z } from 'zod'
import type { TaskView } from '../../team/answers/view.ts'
import { type Request, RequestKind } from '../../team/request.ts'
import { BoardStatus } from '../../team/task.ts'

const text = z.string()
const texts = z.array(text)
const time = z.number().describe('seconds since 1970')

/** A task as lists show it. */
export const ListedTask = z.object({
  id: text,
  subject: text,
  status: BoardStatus,
  owner: text.nullable(),
  assignee: text.nullable().describe('only this member may claim it'),
  role: text.nullable().describe('only members of this role may claim it'),
  priority: z.number(),
  waitsFor: texts.describe('tasks and plans that are not completed yet'),
  files: texts.describe('reserved for its owner while it is claimed'),
  leaseUntil: time.nullable(),
})

/** Everything about a task. */
export const WholeTask = ListedTask.extend({
  description: text,
  activeForm: text,
  estimate: z.number().nullable(),
  blockedBy: texts,
  waitsForFailed: texts,
  blocks: texts,
  attempts: z.number(),
  result: text.nullable(),
  commit: text.nullable(),
  reason: text.nullable().describe('why it failed'),
  createdBy: text,
  createdAt: time,
  claimedAt: time.nullable(),
  completedAt: time.nullable(),
})

export const EarlierAttempts = z
  .array(z.looseObject({}))
  .describe('what other members had done for the task before, where they were interrupted')

/** A message; `external` marks a line that any program may have written, with a sender that is not verified. */
export const ReadMessage = z.looseObject({
  id: text,
  type: text,
  from: text,
  to: text,
  content: text,
  timestamp: time,
  external: z.literal(true).optional(),
  redelivered: z.literal(true).optional(),
})

export const OpenRequest = z.object({
  id: text,
  kind: RequestKind,
  from: text,
  to: text,
  content: text,
  state: text,
  deadline: time.nullable(),
})

export function listedTask(task: TaskView): z.input<typeof ListedTask> {
  const { id, subject, status, owner, assignee, role, priority, waitsFor, files, leaseUntil } = task
  return {
    ...{ id, subject, status, owner, assignee, role, priority },
    ...{ waitsFor: [...waitsFor], files: [...files], leaseUntil },
  }
}

export function wholeTask(task: TaskView): z.input<typeof WholeTask> {
  const { description, activeForm, estimate, blockedBy, waitsForFailed, blocks, attempts } = task
  const { result, commit, reason, createdBy, createdAt, claimedAt, completedAt } = task
  return {
    ...listedTask(task),
    ...{ description, activeForm, estimate, attempts, result, commit, reason },
    ...{ blockedBy: [...blockedBy], waitsForFailed: [...waitsForFailed], blocks: [...blocks] },
    ...{ createdBy, createdAt, claimedAt, completedAt },
  }
}

export function openRequest({ id, kind, from, to, content, state, deadline }: Request): z.input<typeof OpenRequest> {
  return { id, kind, from, to, content, state, deadline }
}
