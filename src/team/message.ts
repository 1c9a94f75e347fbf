import { z } from 'zod'
import type { RequestKind } from './request.ts'
import { Timestamp } from './task.ts'

/** Talk between members. */
const TALK = ['message', 'broadcast'] as const
/** The mail by which members open and answer requests. Requests of other kinds are events that only a runtime acts on. */
const REQUEST_MAIL = {
  shutdown: { opening: 'shutdown_request', answer: 'shutdown_response' },
  plan_approval: { opening: 'plan_approval_request', answer: 'plan_approval_response' },
} as const satisfies Partial<Record<RequestKind, { opening: string; answer: string }>>
/** A kind of request that members send to each other. */
export type MailedKind = keyof typeof REQUEST_MAIL
const MAILED_KINDS = Object.keys(REQUEST_MAIL) as MailedKind[]
type Mail = (typeof REQUEST_MAIL)[MailedKind]
/** Messages that carry a request or its answer. They count only through the request they name. */
export type ControlType = Mail['opening'] | Mail['answer']
const CONTROL = MAILED_KINDS.flatMap((kind): ControlType[] => Object.values(REQUEST_MAIL[kind]))
/** What the runtime tells the lead, or a sender whose mail came back. */
const RUNTIME = ['result', 'idle_notification', 'error'] as const
export type RuntimeType = (typeof RUNTIME)[number]
/** Typed hand-offs between the roles of a department. */
const HAND_OFF = [
  'dev_progress',
  'dev_blocker',
  'code_review_changes',
  'code_review_result',
  'senior_spec',
  'architecture_design',
  'test_plan_result',
  'qa_result',
  'qa_code_result',
  'security_audit',
  'critique_result',
  'scout_findings',
  'debugger_report',
  'escalation',
  'api_contract',
  'design_handoff',
  'department_result',
  'owner_review',
  'owner_signoff',
] as const

/** What the journal says itself: derived from its events, sent by no member. Older versions accepted the first two as mail. */
const DERIVED_MAIL = ['task_claim', 'task_complete'] as const
export type DerivedType = (typeof DERIVED_MAIL)[number]
const DERIVED = new Set<string>([...DERIVED_MAIL, 'summary_aggregation', 'agent_health_event', 'circuit_breaker_state'])

export const MessageType = z.enum([...TALK, ...CONTROL, ...RUNTIME, ...HAND_OFF, ...DERIVED_MAIL])
export type MessageType = z.infer<typeof MessageType>
const TYPES: ReadonlySet<unknown> = new Set(MessageType.options)

/** Longer than any command id: mail that comes back is filed under the id it was sent by, and the reader's name. */
const MESSAGE_ID = /^\S{1,512}$/

/** One line of a mailbox. Whatever else a sender attached stays with it. */
export const Message = z.looseObject({
  id: z.string().regex(MESSAGE_ID),
  type: MessageType,
  from: z.string(),
  to: z.string(),
  content: z.string(),
  timestamp: Timestamp,
})
export type Message = z.infer<typeof Message>

/** The same, asked without making a copy: every process reads the mail of all members. */
export function isMessage(value: unknown): value is Message {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { id, type, from, to, content, timestamp } = value as Partial<Record<keyof Message, unknown>>
  if (typeof id !== 'string' || !MESSAGE_ID.test(id) || !TYPES.has(type)) return false
  return typeof from === 'string' && typeof to === 'string' && typeof content === 'string' && Number.isFinite(timestamp)
}

/** What one message, and every text that becomes one, may have. */
export const MESSAGE_BYTES = 1024 * 1024
export const UNREAD_CAP = 10_000

export function isTooLong(content: string): boolean {
  return Buffer.byteLength(content) > MESSAGE_BYTES
}

const OLD_TYPES: Record<string, MessageType> = {
  plan_approval: 'plan_approval_request',
  plan_request: 'plan_approval_request',
}

/** Our name for a message type, also where the source documents call it otherwise. */
export function messageType(text: string): MessageType | undefined {
  if (TYPES.has(text)) return text as MessageType
  return Object.hasOwn(OLD_TYPES, text) ? OLD_TYPES[text] : undefined
}

/** Free text between members, as opposed to a hand-off with fields. */
export function isTalk(type: string): boolean {
  return (TALK as readonly string[]).includes(type)
}

export function isControl(type: MessageType): type is ControlType {
  return (CONTROL as readonly string[]).includes(type)
}

/** The mail of a request of this kind; undefined for kinds that travel as events only. */
export function requestMail(kind: RequestKind): Mail | undefined {
  return kind in REQUEST_MAIL ? REQUEST_MAIL[kind as MailedKind] : undefined
}

/** The kind of request that a message of this type opens. */
export function opensRequest(type: MessageType): MailedKind | undefined {
  return MAILED_KINDS.find((kind) => REQUEST_MAIL[kind].opening === type)
}

export function answersRequest(type: string): boolean {
  return MAILED_KINDS.some((kind) => REQUEST_MAIL[kind].answer === type)
}

/** Only a runtime says these, on behalf of an agent it runs. */
export function isRuntimeFact(type: MessageType): boolean {
  return (RUNTIME as readonly string[]).includes(type)
}

export function isHandOff(type: string): boolean {
  return (HAND_OFF as readonly string[]).includes(type)
}

/** Computed from the journal, and never sent. */
export function isDerived(type: string): boolean {
  return DERIVED.has(type)
}

/** The unread cap holds back talk, never what keeps a team running. */
export function isCapped(type: MessageType): boolean {
  return !isControl(type) && !isRuntimeFact(type)
}

/** Those that can be sent. */
export function messageTypes(): readonly string[] {
  return MessageType.options.filter((type) => !isDerived(type))
}

/** What became of a message for one recipient, at its place in the log. */
export interface Effect {
  readonly id: string
  readonly to: string
  readonly outcome: 'queued' | 'bounced' | 'delivered' | 'ignored'
  readonly reason?: string
}
