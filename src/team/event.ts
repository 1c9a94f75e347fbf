import { z } from 'zod'
import { Breaker } from './members/breaker.ts'
import { MemberKind, MemberStatus, Profile } from './members/member.ts'
import { TokenHash } from './members/member-token.ts'
import { SessionFolder } from './members/session-folder.ts'
import { Usage } from './members/usage.ts'
import { isMessage, Message } from './message.ts'
import { Name } from './name.ts'
import { HandOff, StepChange } from './phases/phase.ts'
import { PlanSummary } from './plans/plan.ts'
import { Assignment, RequestId, RequestKind, ShutdownStatus } from './request.ts'
import {
  Attempt,
  Baseline,
  Dependency,
  Estimate,
  isDependency,
  isPriority,
  isTaskId,
  PlanId,
  Priority,
  TaskId,
  Timestamp,
} from './task.ts'

const generation = z.number().int().nonnegative()
const ids = z.array(z.string())

const Health = z.enum(['start', 'working', 'idle', 'stop', 'disappeared'])
export type Health = z.infer<typeof Health>

/**
 * Decisions were true when they were made and are appended only on condition that no other decision came since.
 * Facts always count; their effect follows from their place in the log (mail to a member that has stopped there bounces).
 */
const decisions = {
  /** `session` is the team of the lead that made it as a further one. */
  'team.created': z.object({ team: Name, description: z.string(), session: Name.nullable().optional() }),
  /** The lead of this team leads that one too, or does so no more. */
  'team.led': z.object({ team: Name }),
  'team.ceded': z.object({ team: Name }),
  'team.deleted': z.object({ reason: z.string() }),
  'team.restored': z.object({ state: z.json(), lost: z.array(z.string()), from: z.string() }),
  'supervisor.took': z.object({
    runtime: z.string(),
    epoch: z.number().int(),
    forced: z.boolean(),
    folder: SessionFolder.optional(),
  }),
  'supervisor.gone': z.object({ epoch: z.number().int(), reason: z.string() }),
  'member.joined': z.object({
    name: Name,
    role: z.string(),
    kind: MemberKind,
    generation,
    status: MemberStatus,
    runtime: z.string().nullable(),
    epoch: z.number().int(),
    prompt: z.string().nullable(),
    profile: Profile.nullable().optional(),
  }),
  /** From now on only the holder of this token acts as the member; `hash` is the SHA-256 of the token. */
  'token.issued': z.object({ member: z.string(), hash: TokenHash }),
  'member.stopped': z.object({ name: z.string(), generation, reason: z.string() }),
  'member.lost': z.object({ name: z.string(), generation, reason: z.string() }),
  /** Its run ended in the middle of its work, in order: it waits for the next run, and its task is free until then. */
  'member.parked': z.object({ name: z.string(), generation, reason: z.string() }),
  'task.created': z.object({
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
    wakeLead: z.boolean().optional(),
  }),
  'task.updated': z.object({
    id: TaskId,
    subject: z.string().optional(),
    description: z.string().optional(),
    activeForm: z.string().optional(),
    role: z.string().nullable().optional(),
    assignee: z.string().nullable().optional(),
    priority: Priority.optional(),
    estimate: Estimate.optional(),
    blockedBy: z.array(Dependency).optional(),
    files: z.array(z.string()).optional(),
    wakeLead: z.boolean().optional(),
  }),
  /** `lease` in seconds from the record's time; null: the claim lasts as long as its owner. */
  'task.claimed': z.object({ id: TaskId, owner: z.string(), generation, lease: z.number().positive().nullable() }),
  'task.renewed': z.object({ id: TaskId, lease: z.number().positive() }),
  'task.released': z.object({ id: TaskId, end: Attempt.shape.end, reason: z.string().optional() }),
  'task.completed': z.object({ id: TaskId, result: z.string().nullable(), commit: z.string().nullable() }),
  /** `commit` holds what was done of it. */
  'task.failed': z.object({ id: TaskId, reason: z.string(), commit: z.string().optional() }),
  'task.reopened': z.object({ id: TaskId }),
  'task.deleted': z.object({ id: TaskId }),
  /** In the same record as its tasks. */
  'plan.loaded': z.object({
    plan: PlanId,
    title: z.string(),
    objective: z.string(),
    wave: z.number().int(),
    folder: z.string(),
    hash: z.string(),
    tasks: z.number().int().nonnegative(),
  }),
  /** In the same record as the end of its last open task. */
  'plan.ended': z.object({ plan: PlanId, summary: PlanSummary }),
  'step.changed': z.object({
    folder: StepChange.shape.folder,
    step: StepChange.shape.step,
    name: StepChange.shape.name,
    status: StepChange.shape.status,
    artefacts: StepChange.shape.artefacts,
    reason: StepChange.shape.reason,
    attempt: StepChange.shape.attempt,
  }),
  'handoff.recorded': z.object({
    folder: HandOff.shape.folder,
    kind: HandOff.shape.kind,
    from: HandOff.shape.from,
    to: HandOff.shape.to,
    subjects: HandOff.shape.subjects,
    status: HandOff.shape.status,
    content: HandOff.shape.content,
  }),
  'request.opened': z.object({
    id: RequestId,
    kind: RequestKind,
    from: z.string(),
    fromGeneration: generation,
    to: z.string(),
    toGeneration: generation,
    content: z.string(),
    assignment: Assignment.nullable(),
    deadline: Timestamp.nullable(),
  }),
  'request.answered': z.object({
    id: z.string(),
    by: z.string(),
    approve: z.boolean(),
    feedback: z.string(),
    status: ShutdownStatus.nullable(),
    pendingWork: z.array(z.string()),
    artifactsCommitted: z.boolean().nullable(),
    /** Files that were changed and not committed when it agreed to stop, counted by its runtime; null: not checked. */
    uncommitted: z.number().int().nonnegative().nullable().optional(),
  }),
  'request.closed': z.object({ id: z.string(), state: z.enum(['timed_out', 'void']), reason: z.string() }),
  /**
   * An agent's transcript lost turns and continues without them: `lost` describes them, `returned` are the messages in
   * them, which are unread again. `archived` is the file that keeps the removed lines, where there is one.
   */
  'transcript.repaired': z.object({
    member: z.string(),
    archived: z.string().nullable(),
    lost: z.array(z.string()),
    returned: z.array(z.object({ message: Message, external: z.boolean() })),
  }),
  'mail.taken': z.object({ member: z.string(), ids, taker: z.string(), until: Timestamp }),
}

const facts = {
  'message.sent': z.object({ message: z.custom<Message>(isMessage) }),
  /** `turn` is the record of the agent's transcript in which they stand; readers without a transcript have none. */
  'message.delivered': z.object({ member: z.string(), ids, take: z.string().nullable(), turn: z.string().optional() }),
  'member.activity': z.object({
    name: z.string(),
    generation,
    status: MemberStatus.extract(['working', 'idle', 'waiting_approval']),
  }),
  /** A transition of an agent's health: started, idle, ended, disappeared. */
  'agent.health': z.object({
    name: z.string(),
    generation,
    state: Health,
    previous: Health.nullable(),
    timeoutTriggered: z.boolean(),
  }),
  /** What was changed and not committed when the work on a claimed task began. */
  'task.baseline': z.object({ id: TaskId, head: Baseline.shape.head, dirty: Baseline.shape.dirty }),
  'breaker.changed': z.object({ breaker: Breaker, reason: z.string() }),
  /** Work that was left undone or uncommitted when a member stopped. */
  'deviation.noted': z.object({ member: z.string(), task: TaskId.nullable(), text: z.string() }),
  /** A call of a model, with what it used; `cost` in US dollars, null where the price is not known. */
  usage: z.object({ member: z.string(), model: z.string(), usage: Usage, cost: z.number().nullable() }),
  /** A line that some program left in a mailbox file; `offset` and `end` are its place in the archive. */
  'external.received': z.object({ archive: z.string(), offset: z.number(), end: z.number(), message: Message }),
  'external.rejected': z.object({
    archive: z.string(),
    offset: z.number(),
    end: z.number(),
    to: z.string(),
    reason: z.string(),
    line: z.string(),
  }),
}

type Shapes = typeof decisions & typeof facts
export type EventType = keyof Shapes
export type TeamEvent = { [T in EventType]: { type: T } & z.infer<Shapes[T]> }[EventType]
export type EventOf<T extends EventType> = Extract<TeamEvent, { type: T }>

const shapes = Object.fromEntries(
  Object.entries({ ...decisions, ...facts }).map(([type, shape]) => [
    type,
    (shape as z.ZodObject).extend({ type: z.literal(type) }),
  ]),
)

export const factTypes = Object.keys(facts) as (keyof typeof facts)[]
export const decisionTypes = Object.keys(decisions) as (keyof typeof decisions)[]

/**
 * An event of a record with the members its type has and no others; `unknown` from a newer version (kept and skipped),
 * `broken` where a known type does not have its members.
 */
export function readEvent(value: unknown): TeamEvent | 'unknown' | 'broken' {
  if (typeof value !== 'object' || value === null || !('type' in value) || typeof value.type !== 'string')
    return 'broken'
  if (isUsual(value)) return value
  if (!Object.hasOwn(shapes, value.type)) return 'unknown'
  if (OPEN.has(value.type) && isDeep(value, MAX_DEPTH)) return 'broken'
  return (shapes[value.type]?.safeParse(value).data as TeamEvent | undefined) ?? 'broken'
}

/**
 * The events that every process folds all day for all members, or thousands of in one record, asked about member by
 * member: what their shapes would answer, without a copy and several times faster. Anything unusual is left to the shapes.
 */
function isUsual(event: object & { [member: string]: unknown }): event is TeamEvent {
  switch (event.type) {
    case 'task.claimed': {
      const { id, owner, generation, lease } = event
      if (!isTaskId(id) || typeof owner !== 'string' || !Number.isSafeInteger(generation)) return false
      const hasLease = lease === null || (typeof lease === 'number' && lease > 0 && Number.isFinite(lease))
      return hasLease && (generation as number) >= 0 && hasMembers(event, 5)
    }
    case 'task.completed': {
      const { id, result, commit } = event
      return isTaskId(id) && isTextOrNull(result) && isTextOrNull(commit) && hasMembers(event, 4)
    }
    case 'task.created': {
      const { id, subject, description, activeForm, role, assignee, priority, blockedBy, files } = event
      if (!isTaskId(id) || !isPriority(priority) || !isTextOrNull(role) || !isTextOrNull(assignee)) return false
      if (typeof subject !== 'string' || typeof description !== 'string' || typeof activeForm !== 'string') return false
      return isListOf(blockedBy, isDependency) && isListOf(files, isText) && hasMembers(event, 10)
    }
    case 'message.sent':
      return isMessage(event.message) && !isDeep(event.message, MAX_DEPTH - 1) && hasMembers(event, 2)
    default:
      return false
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string'
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem)
}

function hasMembers(value: object, count: number): boolean {
  let members = 0
  for (const _ in value) members++
  return members === count
}

/** Types whose schema accepts more fields than it names. */
const OPEN = new Set<string>([
  'message.sent',
  'external.received',
  'team.restored',
  'transcript.repaired',
  'handoff.recorded',
])

/** Deeper than any real event. Checking or writing a value that is nested without end would overflow the stack. */
const MAX_DEPTH = 200

function isDeep(value: object, left: number): boolean {
  if (left === 0) return true
  // Everything here was read from JSON: what it has is its own, and a list of it would be made for every message.
  for (const member in value) {
    const inner = (value as Record<string, unknown>)[member]
    if (typeof inner === 'object' && inner !== null && isDeep(inner, left - 1)) return true
  }
  return false
}

/** The writer of a record. Agents carry generation and epoch and are fenced by them; other writers carry neither. */
export interface Author {
  readonly name: string
  readonly generation?: number
  readonly epoch?: number
}

/** Where and when an event happened, as its record says. `apply` never looks at a clock. */
export interface Place {
  readonly seq: number
  readonly id: string
  readonly at: number
  readonly by: Author
}
