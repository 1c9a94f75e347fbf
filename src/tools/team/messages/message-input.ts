import { z } from 'zod'
import {
  answersRequest,
  type ControlType,
  type DerivedType,
  isControl,
  isDerived,
  isRuntimeFact,
  MessageType,
  messageType,
  type RuntimeType,
} from '../../../team/message.ts'
import { refuse } from '../../../team/refusal.ts'
import { refusalText } from '../../../team/refusal-text.ts'
import { ShutdownStatus } from '../../../team/request.ts'
import { TeamName } from '../membership-of.ts'

/** Types of messages to one member: plain messages and typed hand-offs. */
const DIRECT_TYPES = MessageType.options.filter(
  (type) => type !== 'broadcast' && !isControl(type) && !isRuntimeFact(type) && !isDerived(type),
) as Exclude<MessageType, ControlType | RuntimeType | DerivedType | 'broadcast'>[]

/** Types that a model may send; the others are sent by the runtime. */
const SENDABLE = MessageType.options.filter((type) => !isRuntimeFact(type) && !isDerived(type))

const needed = { error: ({ input }: { input: unknown }) => (input === undefined ? 'is needed' : undefined) }
const recipient = z.string(needed).min(1, 'is needed')
const content = z.string(needed).min(1, 'there is nothing to send')
const words = z.string()
const approve = z.boolean(needed)
const request_id = z.string().min(1).optional().describe('which request is answered')
const deadline_seconds = z.number().positive().optional().describe('how long it has to answer; 30 if left out')
const status = ShutdownStatus.optional()
const pending_work = z.array(z.string()).optional()
const artifacts_committed = z.boolean().optional()
const urgent = z.boolean().optional()

/** The schema for the model: one flat object, since most providers accept nothing else. */
const MessageOffer = z.strictObject({
  recipient: words.optional().describe('a teammate, lead or user; not needed for a broadcast'),
  content: words.optional().describe('the message, the plan, or the text of an answer'),
  type: z.enum(SENDABLE).default('message'),
  team_name: TeamName,
  request_id,
  approve: z.boolean().optional().describe('your answer, with shutdown_response and plan_approval_response'),
  feedback: words.optional().describe('with plan_approval_response: what has to change'),
  reason: words.optional().describe('with shutdown_request and shutdown_response'),
  deadline_seconds,
  status: status.describe('with shutdown_response: the state of your work'),
  pending_work: pending_work.describe('with shutdown_response: what is not finished'),
  artifacts_committed: artifacts_committed.describe('with shutdown_response: is your work committed?'),
  urgent: urgent.describe('interrupts what the recipient is doing'),
})

/** The same with types of hand-offs that an organisation adds. */
export function messageOffer(addedTypes: readonly string[]) {
  return addedTypes.length === 0
    ? MessageOffer
    : MessageOffer.extend({ type: z.enum([...SENDABLE, ...addedTypes]).default('message') })
}

const team_name = TeamName
const texts = { content: words.optional(), reason: words.optional(), feedback: words.optional() }

/** `added` is the type that an organisation added; only `normalize` sets it. */
const added = z.string().optional()
const Direct = fields({ type: z.enum(DIRECT_TYPES), recipient, content, urgent, team_name, added })
export type DirectInput = z.infer<typeof Direct>

/** Checks each type for its own fields, so that an answer is not taken for a message. */
const ByType = z.discriminatedUnion(
  'type',
  [
    Direct,
    fields({ type: z.literal('broadcast'), recipient: words.optional(), content, urgent, team_name }),
    fields({
      type: z.literal('shutdown_request'),
      recipient,
      content: texts.content,
      reason: texts.reason,
      deadline_seconds,
      team_name,
    }),
    fields({
      type: z.literal('shutdown_response'),
      recipient: words.optional(),
      ...texts,
      request_id,
      // Left out, the sender of the request reads its state.
      approve: approve.optional(),
      status,
      pending_work,
      artifacts_committed,
      team_name,
    }),
    fields({ type: z.literal('plan_approval_request'), recipient: words.optional(), content, team_name }),
    fields({
      type: z.literal('plan_approval_response'),
      recipient: words.optional(),
      ...texts,
      request_id,
      approve,
      team_name,
    }),
  ],
  { error: ({ code, input }) => (code === 'invalid_union' ? wrongType(input) : undefined) },
)
export type MessageInput = z.infer<typeof ByType>

/** `addedTypes` are hand-offs that an organisation adds; they travel as messages that name them. */
export function messageInput(addedTypes: readonly string[]): z.ZodType<MessageInput> {
  return z.preprocess((input, { addIssue }) => {
    const normalized = normalize(input, addedTypes)
    const { answer, problem } = withAnswerNames(normalized)
    if (problem !== undefined) addIssue({ code: 'custom', ...problem })
    return answer
  }, ByType)
}

function fields<T extends z.ZodRawShape>(shape: T) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? `${issue.keys.join(', ')} ${unfit(issue.keys, issue.input)}` : undefined,
  })
}

function unfit(keys: readonly string[], input: unknown): string {
  const own = keys.some((key) => ['from', 'sender'].includes(key)) ? ' (the sender is set by the runtime)' : ''
  return `does not go with a message of type ${(input as { type: string }).type}${own}. Leave it out, or use the type it belongs to`
}

/** Drops empty fields, accepts older names of a type, and takes a reason as content where that is missing. */
function normalize(input: unknown, addedTypes: readonly string[]): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input
  const { added: _, ...own } = input as { added?: unknown }
  const said = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== null && value !== ''))
  const type: unknown = said.type === undefined ? 'message' : said.type
  const known = (typeof type === 'string' && messageType(type)) || type
  if (typeof known === 'string' && addedTypes.includes(known)) return { ...said, type: 'message', added: known }
  const isAnswer = typeof known === 'string' && (known.startsWith('shutdown_') || known === 'plan_approval_response')
  if (isAnswer || said.content !== undefined || said.reason === undefined) return { ...said, type: known }
  const { reason, ...rest } = said
  return { ...rest, type: known, content: reason }
}

/** How later versions of the source call the states of a shutdown answer. */
const FINAL_STATUS: ReadonlyMap<unknown, string> = new Map([
  ['complete', 'clean'],
  ['idle', 'clean'],
  ['in_progress', 'in_progress'],
])

interface AnswerNames {
  readonly answer: unknown
  readonly problem?: { readonly path: string[]; readonly message: string }
}

/** Accepts `approved` for `approve`, and `final_status` for `status`. Both names with different meanings are refused. */
function withAnswerNames(input: unknown): AnswerNames {
  const said = input as Readonly<Record<string, unknown>>
  if (typeof input !== 'object' || input === null || !answersRequest(String(said.type))) return { answer: input }
  const { approved, final_status: final, ...rest } = said
  const approve = approved === undefined ? rest : { ...rest, approve: approved }
  if (approved !== undefined && rest.approve !== undefined && rest.approve !== approved)
    return refusedNames(input, 'approved', `is ${approved} and approve is ${rest.approve}: give one of them`)
  if (final === undefined) return { answer: approve }
  if (said.type !== 'shutdown_response') return { answer: { ...approve, final_status: final } }
  const status = FINAL_STATUS.get(final)
  if (status === undefined)
    return refusedNames(input, 'final_status', `is ${JSON.stringify(final)}. Use complete, idle or in_progress`)
  if (rest.status === undefined || rest.status === status) return { answer: { ...approve, status } }
  return refusedNames(
    input,
    'final_status',
    `is ${final}, which means ${status}, and status is ${rest.status}: give one of them`,
  )
}

function refusedNames(input: unknown, name: string, message: string): AnswerNames {
  const { approved: _, final_status: _final, ...answer } = input as { approved?: unknown; final_status?: unknown }
  return { answer, problem: { path: [name], message } }
}

function wrongType(input: unknown): string {
  const type = typeof input === 'object' && input !== null && 'type' in input ? input.type : input
  if (typeof type === 'string' && isDerived(type))
    return refusalText(refuse('invalid', { problem: 'derived_message', type })).replace(/\.$/, '')
  const shown = typeof type === 'string' ? `'${type}'` : JSON.stringify(type)
  if (MessageType.safeParse(type).success) return `${shown} is sent by the runtime only. Send a plain message instead`
  return `${shown} is not a message type. Use one of: ${SENDABLE.join(', ')}`
}
