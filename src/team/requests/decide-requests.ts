import type { Circumstances, Command, Decision } from '../command.ts'
import type { TeamEvent } from '../event.ts'
import { canReceive } from '../mail/mail.ts'
import { isTooLong, type Message, requestMail } from '../message.ts'
import { nameKey } from '../name.ts'
import { refuse } from '../refusal.ts'
import { answerWords, RequestAnswer } from '../request.ts'
import { isLead, leadOnly, unknownMember } from '../rights.ts'
import { heldBy, memberNamed, type TeamState } from '../state.ts'
import { whyVoid } from './overdue.ts'

type Of<T extends Command['type']> = Extract<Command, { type: T }>

/** Seconds a teammate has to answer a shutdown request. */
const SHUTDOWN_SECONDS = 30

export function decideRequest(
  state: TeamState,
  command: Of<'request.open'> | Of<'request.answer'> | Of<'request.withdraw'>,
  about: Circumstances,
): Decision {
  switch (command.type) {
    case 'request.open':
      return open(state, command, about)
    case 'request.answer':
      return answer(state, command, about)
    case 'request.withdraw':
      return withdraw(state, command, about)
    default:
      return command satisfies never
  }
}

function open(state: TeamState, { kind, to, content, deadline }: Of<'request.open'>, about: Circumstances): Decision {
  const { by, now } = about
  if (kind === 'shutdown' && !isLead(by.name)) return leadOnly('request_shutdown', by)
  if (!canReceive(state, to)) return unknownMember(state, to)
  if (nameKey(to) === nameKey(by.name)) return refuse('invalid', { problem: 'own_request', member: by.name })
  if (kind === 'shutdown' && isLead(to)) return refuse('invalid', { problem: 'shutdown_of_lead' })
  if (isTooLong(content)) return refuse('too_large', { text: 'request' })
  if (deadline !== undefined && !(deadline > 0 && Number.isFinite(deadline)))
    return refuse('invalid', { problem: 'deadline' })
  if (kind !== 'shutdown' && !isLead(to)) return refuse('invalid', { problem: 'request_recipient', kind, to })
  const twin = [...state.requests.values()].find(
    (other) =>
      other.state === 'pending' &&
      other.kind === kind &&
      nameKey(other.to) === nameKey(to) &&
      nameKey(other.from) === nameKey(by.name),
  )
  if (twin && kind !== 'permission') return refuse('wrong_state', { problem: 'request_open', request: twin.id })
  const rejected = kind === 'plan_approval' ? rejectedPlans(state, by.name) : 0
  if (rejected >= MAX_REJECTED_PLANS) return refuse('wrong_state', { problem: 'plans_rejected', count: rejected })
  const id = `r${state.counters.get().request}`
  const task = kind === 'shutdown' ? undefined : heldBy(state, by.name)
  const seconds = deadline ?? (kind === 'shutdown' ? SHUTDOWN_SECONDS : undefined)
  const opened: TeamEvent = {
    type: 'request.opened',
    id,
    kind,
    from: memberNamed(state, by.name)?.name ?? by.name,
    fromGeneration: memberNamed(state, by.name)?.generation ?? 0,
    to: memberNamed(state, to)?.name ?? to,
    toGeneration: memberNamed(state, to)?.generation ?? 0,
    content,
    assignment: task ? { task: task.id, attempt: task.attempts } : null,
    deadline: seconds === undefined ? null : now + seconds,
  }
  const type = requestMail(kind)?.opening
  return {
    events: [
      opened,
      ...mail(type, opened.from, opened.to, content, { request_id: id, deadline: opened.deadline }, about),
    ],
  }
}

/** After so many rejected plans for one assignment the teammate has to ask or give up instead. */
const MAX_REJECTED_PLANS = 5

function rejectedPlans(state: TeamState, name: string): number {
  const member = memberNamed(state, name)
  const task = heldBy(state, name)
  return [...state.requests.values()].filter(
    ({ kind, from, fromGeneration, assignment, state: answer }) =>
      kind === 'plan_approval' &&
      answer === 'rejected' &&
      nameKey(from) === nameKey(name) &&
      fromGeneration === member?.generation &&
      assignment?.task === task?.id &&
      assignment?.attempt === task?.attempts,
  ).length
}

function withdraw(state: TeamState, { id, reason }: Of<'request.withdraw'>, { by }: Circumstances): Decision {
  const request = state.requests.get(id)
  if (!request) return refuse('unknown_request', { request: id })
  if (nameKey(request.from) !== nameKey(by.name))
    return refuse('not_allowed', {
      problem: 'foreign_request',
      request: request.id,
      from: request.from,
      by: by.name,
    })
  if (request.state !== 'pending') return { events: [], note: `Request ${request.id} is over already.` }
  return { events: [{ type: 'request.closed', id: request.id, state: 'void', reason }] }
}

/** Exactly one answer, by the recipient of the request, while its assignment is still current. */
function answer(state: TeamState, command: Of<'request.answer'>, about: Circumstances): Decision {
  const { by } = about
  const request = state.requests.get(command.id)
  if (!request) return refuse('unknown_request', { request: command.id })
  const asked =
    nameKey(request.to) === nameKey(by.name) || (nameKey(by.name) === 'user' && nameKey(request.to) === 'lead')
  if (!asked)
    return refuse('not_allowed', {
      problem: 'other_recipient',
      request: request.id,
      to: request.to,
      by: by.name,
    })
  if (request.state === 'void') return refuse('stale', { request: request.id, reason: request.reason })
  if (request.state !== 'pending')
    return refuse('wrong_state', { problem: 'request_answered', request: request.id, state: request.state })
  const stale = whyVoid(state, request)
  if (stale) return refuse('stale', { request: request.id, reason: stale })
  if (request.kind === 'permission' && command.approve && state.supervisor.get().runtime !== about.self)
    return refuse('not_allowed', { problem: 'permission_elsewhere', request: request.id })
  const parsed = RequestAnswer.safeParse(command)
  if (!parsed.success) return refuse('invalid', { problem: 'answer', issue: parsed.error.issues[0]?.message ?? '' })
  const { approve, feedback, status } = parsed.data
  if (isTooLong(feedback)) return refuse('too_large', { text: 'feedback' })
  const answered: TeamEvent = { type: 'request.answered', id: request.id, by: by.name, ...parsed.data }
  const type = requestMail(request.kind)?.answer
  const extra = { request_id: request.id, approve, ...(status !== null && { status }) }
  const decision = approve ? 'approved' : 'rejected'
  const words = answerWords({ kind: request.kind, state: decision }, parsed.data)
  const content = feedback !== '' || words === '' ? words || decision : `${decision}; ${words}`
  const from = nameKey(by.name) === 'user' ? 'user' : request.to
  const events = [answered, ...mail(type, from, request.from, content, extra, about)]
  // The lead counts on its teammates: it gets a message when the user stops one of them.
  if (request.kind !== 'shutdown' || nameKey(request.from) === 'lead') return { events }
  const toLead = `[${request.from} asked ${request.to} to stop (${request.content})] ${decision}: ${words || decision}`
  return { events: [...events, ...mail(type, from, 'lead', toLead, extra, about, 'lead')] }
}

/** Requests that only a runtime acts on (permission, budget) travel as events, not as mail. */
function mail(
  type: Message['type'] | undefined,
  from: string,
  to: string,
  content: string,
  extra: Record<string, unknown>,
  { id, now }: Circumstances,
  suffix = 'mail',
): TeamEvent[] {
  if (!type) return []
  return [
    { type: 'message.sent', message: { ...extra, id: `${id}.${suffix}`, type, from, to, content, timestamp: now } },
  ]
}
