import { z } from 'zod'
import { Timestamp } from './task.ts'

export const RequestKind = z.enum(['shutdown', 'plan_approval', 'permission', 'budget'])
export type RequestKind = z.infer<typeof RequestKind>

/** The assignment a request speaks of: a task and which attempt at it. */
export const Assignment = z.object({ task: z.string(), attempt: z.number().int() })

export const RequestId = z.string().regex(/^r[1-9]\d{0,14}$/)

const Base = z.object({
  id: RequestId,
  kind: RequestKind,
  from: z.string(),
  fromGeneration: z.number().int(),
  to: z.string(),
  toGeneration: z.number().int(),
  content: z.string(),
  assignment: Assignment.nullable(),
  openedAt: Timestamp,
  deadline: Timestamp.nullable(),
})

/** How a member that is asked to stop leaves its work. */
export const ShutdownStatus = z.enum(['clean', 'in_progress', 'error'])

const answered = {
  by: z.string(),
  feedback: z.string(),
  closedAt: Timestamp,
  /** Of a shutdown only. */
  status: ShutdownStatus.nullable(),
  pendingWork: z.array(z.string()),
  artifactsCommitted: z.boolean().nullable(),
  /** Changed files that its runtime found uncommitted; null where that was not checked. */
  uncommitted: z.number().int().nonnegative().nullable().optional(),
}

/**
 * pending     open; exactly one of the others ends it
 * approved, rejected   answered by the one it was sent to (the user may answer for the lead)
 * timed_out   no answer came by the deadline
 * void        whom or what it spoke of is gone: another generation, another assignment, a stopped member
 */
export const Request = z.discriminatedUnion('state', [
  Base.extend({ state: z.literal('pending') }),
  Base.extend({ state: z.literal('approved'), ...answered }),
  Base.extend({ state: z.literal('rejected'), ...answered }),
  Base.extend({ state: z.literal('timed_out'), closedAt: Timestamp, reason: z.string() }),
  Base.extend({ state: z.literal('void'), closedAt: Timestamp, reason: z.string() }),
])
export type Request = z.infer<typeof Request>

export const RequestAnswer = z.object({
  approve: z.boolean(),
  feedback: z.string().default(''),
  status: answered.status.default(null),
  pendingWork: answered.pendingWork.default([]),
  artifactsCommitted: answered.artifactsCommitted.default(null),
  uncommitted: answered.uncommitted,
})
export type RequestAnswer = z.input<typeof RequestAnswer>

type Answered = Pick<
  z.infer<typeof RequestAnswer>,
  'feedback' | 'status' | 'pendingWork' | 'artifactsCommitted' | 'uncommitted'
>

/** What an answer says besides yes or no. A member that agrees to stop also reports what it leaves unfinished. */
export function answerWords(
  { kind, state }: { readonly kind: RequestKind; readonly state: 'approved' | 'rejected' },
  { feedback, status, pendingWork, artifactsCommitted, uncommitted = null }: Answered,
): string {
  if (kind !== 'shutdown') return feedback
  const isLeaving = state === 'approved'
  const facts = [
    ...(status === null ? [] : [`status: ${status}`]),
    ...(pendingWork.length > 0 || isLeaving ? [`pending work: ${pendingWork.join('; ') || 'none'}`] : []),
    ...(artifactsCommitted === null && !isLeaving ? [] : [`artifacts committed: ${SAID[String(artifactsCommitted)]}`]),
    ...(isLeaving ? [`uncommitted files: ${uncommitted ?? 'not checked'}`] : []),
  ]
  return [feedback, facts.join(', ')].filter((part) => part !== '').join('; ')
}

const SAID: Record<string, string> = { true: 'yes', false: 'no', null: 'not said' }
