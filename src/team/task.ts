import { z } from 'zod'
import { isRole, Role } from './members/role.ts'

/** `1`, `2`, `3` … on the open board; `03-01/T3` for the third task of plan `03-01`. */
const TASK_ID = /^(?:[1-9]\d{0,14}|\d\d-\d\d\/T[1-9]\d{0,5})$/
export const TaskId = z.string().regex(TASK_ID)
const PLAN_ID = /^\d\d-\d\d$/
export const PlanId = z.string().regex(PLAN_ID)
export type TaskId = string

/** The same, asked without a parser. */
export function isTaskId(value: unknown): value is TaskId {
  return typeof value === 'string' && TASK_ID.test(value)
}

/** What a task may wait for: another task, or all tasks of a plan. */
export const Dependency = z.union([TaskId, PlanId])

export function isDependency(value: unknown): boolean {
  return isTaskId(value) || (typeof value === 'string' && PLAN_ID.test(value))
}

/** Seconds since 1970 with a fraction, as the source documents write time. */
export const Timestamp = z.number().finite()

const MAX_PRIORITY = 10
export const Priority = z.number().int().min(0).max(MAX_PRIORITY)

export function isPriority(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_PRIORITY
}

/** How much work a task is, compared with one that has no estimate and counts 1. */
export const Estimate = z.number().int().min(1).max(1000)

/** Why an attempt at a task ended without completing it. */
export const Attempt = z.object({
  owner: z.string(),
  claimedAt: Timestamp,
  endedAt: Timestamp,
  end: z.enum([
    'released',
    'failed',
    'lease ended',
    'owner left',
    'owner stopped',
    'owner lost',
    'owner parked',
    'reopened',
  ]),
  reason: z.string().optional(),
})
export type Attempt = z.infer<typeof Attempt>

/** The same for the next owner, with the last tool calls that were made for the task, in words. */
export type EarlierAttempt = Readonly<Attempt> & { readonly lastCalls: readonly string[] }

/** The repository when the work on a task began: the commit, and reserved files that were changed and not committed. */
export const Baseline = z.object({ head: z.string().nullable(), dirty: z.array(z.string()) })
export type Baseline = z.infer<typeof Baseline>

const Base = z.object({
  id: TaskId,
  subject: z.string(),
  description: z.string(),
  activeForm: z.string(),
  role: z.string().nullable(),
  assignee: z.string().nullable(),
  priority: Priority,
  estimate: Estimate.optional(),
  blockedBy: z.array(Dependency),
  files: z.array(z.string()),
  createdBy: z.string(),
  createdAt: Timestamp,
  /** How often it was claimed. Together with the owner it names one assignment: an approval for an older one is void. */
  attempts: z.number().int(),
  ended: z.array(Attempt),
  /** The lead takes a turn when it ends. Missing: its result waits with the others. */
  wakeLead: z.boolean().optional(),
  /** Since its first claim, until it is completed or reopened; only where the runtime commits. */
  baseline: Baseline.optional(),
  /** Where in the journal it changed last. */
  seq: z.number(),
})

const held = { owner: z.string(), claimedAt: Timestamp }

/** `deleted` is not a state of a task: a deleted task is gone from the board and stays in the journal. */
export const Task = z.discriminatedUnion('status', [
  Base.extend({ status: z.literal('pending') }),
  Base.extend({
    status: z.literal('in_progress'),
    ...held,
    generation: z.number().int(),
    lease: z.number().nullable(),
    leaseUntil: Timestamp.nullable(),
  }),
  Base.extend({
    status: z.literal('completed'),
    ...held,
    completedAt: Timestamp,
    result: z.string().nullable(),
    commit: z.string().nullable(),
  }),
  Base.extend({
    status: z.literal('failed'),
    ...held,
    failedAt: Timestamp,
    reason: z.string(),
    /** Holds what was done of it. */
    commit: z.string().optional(),
  }),
])
export type Task = z.infer<typeof Task>
export type ClaimedTask = Extract<Task, { status: 'in_progress' }>
/** The states that a task on the board can have. */
export const BoardStatus = z.enum(['pending', 'in_progress', 'completed', 'failed']) satisfies z.ZodType<Task['status']>
export type TaskStatus = Task['status'] | 'deleted'

/** What a task is created from. `id` only for tasks of a plan; `+1`, `+2` … in `blockedBy` mean tasks of the same batch. */
export const TaskDraft = z.object({
  id: z.string().optional(),
  subject: z.string(),
  description: z.string().default(''),
  activeForm: z.string().optional(),
  role: Role.nullish(),
  assignee: z.string().nullish(),
  priority: Priority.default(5),
  estimate: Estimate.optional(),
  blockedBy: z.array(z.string()).default([]),
  files: z.array(z.string()).default([]),
  wakeLead: z.boolean().optional(),
})
export type TaskDraft = z.input<typeof TaskDraft>

/** Reads a draft; one with the usual members only, of which there may be thousands, several times faster than by its shape. */
export function readDraft(draft: TaskDraft): ReturnType<typeof TaskDraft.safeParse> {
  const { id, subject, description = '', activeForm, role, assignee, priority = 5, blockedBy = [], files = [] } = draft
  const isUsual =
    (id === undefined || typeof id === 'string') &&
    typeof subject === 'string' &&
    typeof description === 'string' &&
    (activeForm === undefined || typeof activeForm === 'string') &&
    (role === undefined || role === null || (typeof role === 'string' && isRole(role))) &&
    (assignee === undefined || assignee === null || typeof assignee === 'string') &&
    isPriority(priority) &&
    draft.estimate === undefined &&
    draft.wakeLead === undefined &&
    isTexts(blockedBy) &&
    isTexts(files)
  if (!isUsual) return TaskDraft.safeParse(draft)
  return { success: true, data: { id, subject, description, activeForm, role, assignee, priority, blockedBy, files } }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

const STATUS_NAMES: Record<string, TaskStatus> = {
  pending: 'pending',
  available: 'pending',
  in_progress: 'in_progress',
  claimed: 'in_progress',
  completed: 'completed',
  complete: 'completed',
  failed: 'failed',
  deleted: 'deleted',
}

/** Our name for a status, also where the source documents call it otherwise. */
export function taskStatus(text: string): TaskStatus | undefined {
  return Object.hasOwn(STATUS_NAMES, text) ? STATUS_NAMES[text] : undefined
}

export function planOf(id: TaskId): string | undefined {
  return id.includes('/') ? id.slice(0, id.indexOf('/')) : undefined
}

/** Ids as numbers: 2 before 10; tasks of plans behind the others, plan by plan. */
export function compareIds(a: TaskId, b: TaskId): number {
  const planA = planOf(a) ?? ''
  const planB = planOf(b) ?? ''
  if (planA !== planB) return planA < planB ? -1 : 1
  return numberOf(a) - numberOf(b)
}

function numberOf(id: TaskId): number {
  return Number(id.slice(id.indexOf('T') + 1))
}

/** A ready task with its remaining path. */
export interface ReadyTask {
  readonly task: Task
  readonly path: number
}

/** The order of claims: the higher priority first, then the longer remaining path, then the smaller id. */
export function compareReady(a: ReadyTask, b: ReadyTask): number {
  return b.task.priority - a.task.priority || b.path - a.path || compareIds(a.task.id, b.task.id)
}
