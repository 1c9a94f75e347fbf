import type { Circumstances, Command } from './command.ts'
import type { Decision } from './decide.ts'
import type { TeamEvent } from './event.ts'
import { canReceive } from './mail.ts'
import { isTooLong, type Message } from './message.ts'
import { nameKey } from './name.ts'
import { whyVoid } from './overdue.ts'
import { refuse } from './refusal.ts'
import { answerWords, RequestAnswer } from './request.ts'
import { isLead, unknownMember } from './rights.ts'
import { heldBy, memberNamed, type TeamState } from './state.ts'

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
  if (kind === 'shutdown' && !isLead(by.name))
    return refuse('not_allowed', `Only the lead or the user asks others to stop, not ${by.name}.`)
  if (!canReceive(state, to)) return refuse('unknown_member', unknownMember(state, to))
  if (nameKey(to) === nameKey(by.name)) return refuse('invalid', `${by.name} cannot ask itself.`)
  if (kind === 'shutdown' && isLead(to))
    return refuse('invalid', 'The lead and the user are not asked to stop; delete the team: deskmates team delete TEAM')
  if (isTooLong(content))
    return refuse('too_large', 'A request has at most 1 MB. Put the rest into a file and name it.')
  if (deadline !== undefined && !(deadline > 0 && Number.isFinite(deadline)))
    return refuse('invalid', 'A deadline is a positive number of seconds.')
  if (kind !== 'shutdown' && !isLead(to))
    return refuse('invalid', `A ${kind} request goes to the lead or the user, not to ${to}.`)
  const twin = [...state.requests.values()].find(
    (other) =>
      other.state === 'pending' &&
      other.kind === kind &&
      nameKey(other.to) === nameKey(to) &&
      nameKey(other.from) === nameKey(by.name),
  )
  if (twin && kind !== 'permission')
    return refuse('wrong_state', `Request ${twin.id} for the same is still open. Wait for its answer.`)
  const rejected = kind === 'plan_approval' ? rejectedPlans(state, by.name) : 0
  if (rejected >= MOST_PLANS)
    return refuse(
      'wrong_state',
      `${rejected} plans for this were rejected. Say what you need instead, or set the task to failed with the reason.`,
    )
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
  const type = kind === 'shutdown' ? 'shutdown_request' : kind === 'plan_approval' ? 'plan_approval_request' : undefined
  return {
    events: [
      opened,
      ...mail(type, opened.from, opened.to, content, { request_id: id, deadline: opened.deadline }, about),
    ],
  }
}

/** So many plans for one assignment may be rejected before somebody else has to think about it. */
const MOST_PLANS = 5

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
  if (!request) return refuse('unknown_request', `There is no request ${JSON.stringify(id)}. See: deskmates requests`)
  if (nameKey(request.from) !== nameKey(by.name))
    return refuse('not_allowed', `Request ${request.id} was sent by ${request.from}; ${by.name} cannot take it back.`)
  if (request.state !== 'pending') return { events: [], note: `Request ${request.id} is over already.` }
  return { events: [{ type: 'request.closed', id: request.id, state: 'void', reason }] }
}

/** Exactly one answer, by the one who was asked, while what it speaks of is still so. */
function answer(state: TeamState, command: Of<'request.answer'>, about: Circumstances): Decision {
  const { by } = about
  const request = state.requests.get(command.id)
  if (!request)
    return refuse('unknown_request', `There is no request ${JSON.stringify(command.id)}. See: deskmates requests`)
  const asked =
    nameKey(request.to) === nameKey(by.name) || (nameKey(by.name) === 'user' && nameKey(request.to) === 'lead')
  if (!asked)
    return refuse('not_allowed', `Request ${request.id} was sent to ${request.to}; ${by.name} cannot answer it.`)
  if (request.state === 'void') return refuse('stale', `Request ${request.id} is void: ${request.reason}.`)
  if (request.state !== 'pending')
    return refuse(
      'wrong_state',
      `Request ${request.id} was already ${request.state.replace('_', ' ')}. One answer counts.`,
    )
  const stale = whyVoid(state, request)
  if (stale) return refuse('stale', `Request ${request.id} is void: ${stale}.`)
  if (request.kind === 'permission' && command.approve && state.supervisor.get().runtime !== about.self)
    return refuse(
      'not_allowed',
      `A permission is given only where the team runs, and that is not here. Reject ${request.id}, or allow it in your settings.`,
    )
  const parsed = RequestAnswer.safeParse(command)
  if (!parsed.success) return refuse('invalid', `That is no answer: ${parsed.error.issues[0]?.message}.`)
  const { approve, feedback, status } = parsed.data
  if (isTooLong(feedback))
    return refuse('too_large', 'Feedback has at most 1 MB. Put the rest into a file and name it.')
  const answered: TeamEvent = { type: 'request.answered', id: request.id, by: by.name, ...parsed.data }
  const type =
    request.kind === 'shutdown'
      ? 'shutdown_response'
      : request.kind === 'plan_approval'
        ? 'plan_approval_response'
        : undefined
  const extra = { request_id: request.id, approve, ...(status !== null && { status }) }
  const verdict = approve ? 'approved' : 'rejected'
  const words = answerWords({ kind: request.kind, state: verdict }, parsed.data)
  const content = feedback !== '' || words === '' ? words || verdict : `${verdict}; ${words}`
  const from = nameKey(by.name) === 'user' ? 'user' : request.to
  const events = [answered, ...mail(type, from, request.from, content, extra, about)]
  // The lead counts on those it works with: it hears when the user stops one of them.
  if (request.kind !== 'shutdown' || nameKey(request.from) === 'lead') return { events }
  const toLead = `[${request.from} asked ${request.to} to stop (${request.content})] ${verdict}: ${words || verdict}`
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
