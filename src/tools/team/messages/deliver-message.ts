import { readingTimeText } from '../../../prompts/message.ts'
import { refusalForModel } from '../../../prompts/refusals.ts'
import { requestStateText, waitingRequestsText } from '../../../prompts/requests.ts'
import type { MessageDraft } from '../../../team/command.ts'
import { canReceive } from '../../../team/mail/mail.ts'
import type { Effect } from '../../../team/message.ts'
import { nameKey } from '../../../team/name.ts'
import { memberNamed } from '../../../team/state.ts'
import type { Route } from '../../message-routing.ts'
import type { TeamMembership } from '../../team-membership.ts'
import type { ToolContext } from '../../tool.ts'
import { membershipKnowing, membershipOf, teamWords } from '../membership-of.ts'
import { granted, NotDone } from '../not-done.ts'
import type { DirectInput, MessageInput } from './message-input.ts'
import { membershipOfRequest, openRequests, requestMeant } from './open-requests.ts'

type Of<T extends MessageInput['type']> = Extract<MessageInput, { type: T }>

/** Sends a message or answers a request, and returns the result for the model. The membership sets the sender. */
export async function deliverMessage(input: MessageInput, context: ToolContext): Promise<string> {
  switch (input.type) {
    case 'broadcast':
      return broadcast(input, context)
    case 'shutdown_request':
      return askToStop(input, context)
    case 'shutdown_response':
      return answerShutdown(input, context)
    case 'plan_approval_request':
      return submitPlan(input, context)
    case 'plan_approval_response':
      return answerPlan(input, context)
    default:
      return nameKey(input.recipient) === 'all' && input.type === 'message'
        ? broadcast({ ...input, type: 'broadcast' }, context)
        : sendDirect(input, context)
  }
}

async function sendDirect(input: DirectInput, context: ToolContext): Promise<string> {
  const { recipient: to, type, content, urgent, team_name, added } = input
  const membership = await membershipKnowing(context, team_name, (state) => canReceive(state, to))
  const named = added ?? type
  const route = routed(membership, { to, type: named, content })
  if (route.via === 'file') return record(membership, route)
  const extra = { ...(urgent && { urgent }), ...(added !== undefined && { handoff: added }), ...violated(route) }
  const [effect] = await sent(membership, { to, type, content, extra })
  if (effect?.outcome !== 'queued') throw new NotDone(`${to} did not get it: ${effect?.reason ?? 'it was not sent'}.`)
  const when = readingTimeText(memberNamed(membership.state, effect.to), urgent === true)
  return `Sent ${named} to ${effect.to} (${when}).${warningOf(route)}`
}

type Draft = Pick<MessageDraft, 'to' | 'content'> & { readonly type: string }

/** Asked before anything is written: a message that breaks the rules of the organisation reaches no mailbox. */
function routed({ routing, name, state }: TeamMembership, message: Draft): Route {
  return routing ? granted(routing.route({ ...message, from: name }, state)) : { via: 'message' }
}

async function record(membership: TeamMembership, { handOff, file }: Extract<Route, { via: 'file' }>): Promise<string> {
  const { routing } = membership
  granted(await (routing?.record ? routing.record(handOff) : membership.run({ type: 'handoff.record', handOff })))
  const where = file === undefined ? '' : `, and written to ${file} of the phase`
  return `Recorded ${handOff.kind} (${handOff.status}) for ${handOff.to}${where}. Departments exchange files: nothing was mailed.`
}

/** A message that was delivered although it breaks a rule is marked in the journal. */
function violated({ violation }: MailRoute): { violation?: string } {
  return violation ? { violation: violation.code } : {}
}

function warningOf({ violation }: MailRoute): string {
  return violation ? ` Warning: ${refusalForModel(violation)}` : ''
}

type MailRoute = Extract<Route, { via: 'message' }>

/** Within one team only. */
async function broadcast({ content, urgent, team_name }: Of<'broadcast'>, context: ToolContext): Promise<string> {
  const membership = await membershipOf(context, team_name)
  const route = routed(membership, { to: 'all', type: 'broadcast', content }) as MailRoute
  const extra = { ...(urgent && { urgent }), ...violated(route) }
  const effects = await sent(membership, { to: 'all', type: 'broadcast', content, extra })
  const reached = effects.filter(({ outcome }) => outcome === 'queued').map(({ to }) => to)
  const missed = effects.filter(({ outcome }) => outcome !== 'queued').map(({ to, reason }) => `${to} (${reason})`)
  if (effects.length === 0) throw new NotDone(`There are no other members in ${teamWords(context, membership.team)}.`)
  const not = missed.length === 0 ? '' : ` Not to: ${missed.join(', ')}.`
  return `Broadcast sent to ${reached.length} in ${teamWords(context, membership.team)}: ${reached.join(', ')}.${not}${warningOf(route)}`
}

async function askToStop(input: Of<'shutdown_request'>, context: ToolContext): Promise<string> {
  const { recipient: to, deadline_seconds: deadline, team_name } = input
  const membership = await membershipKnowing(context, team_name, (state) => canReceive(state, to))
  const content = together(input.reason, input.content) || 'Please shut down gracefully.'
  const { request } = granted(await membership.run({ type: 'request.open', kind: 'shutdown', to, content, deadline }))
  const seconds = request?.deadline == null ? '' : `, ${Math.round(request.deadline - request.openedAt)} s to answer`
  return `Shutdown request ${request?.id} sent to ${request?.to} (pending${seconds}). You are told how it ends.`
}

async function answerShutdown(input: Of<'shutdown_response'>, context: ToolContext): Promise<string> {
  const { approve, request_id: id } = input
  const membership = await membershipOfRequest(context, 'shutdown', { request_id: id, team_name: input.team_name })
  const asked = id === undefined ? undefined : membership.state.requests.get(id)
  if (asked && nameKey(asked.to) !== nameKey(membership.name) && approve === undefined) return requestStateText(asked)
  const { id: meant, from } = requestMeant(membership.state, 'shutdown', membership.name, { request_id: id })
  if (approve === undefined)
    throw new NotDone(`approve: is needed to answer request ${meant} of ${from}: true or false.`)
  const answer = {
    approve,
    feedback: together(input.reason, input.content ?? input.feedback),
    status: input.status ?? null,
    pendingWork: input.pending_work ?? [],
    artifactsCommitted: input.artifacts_committed ?? null,
  }
  granted(await membership.run({ type: 'request.answer', id: meant, ...answer }))
  return approve
    ? `Shutdown approved (request ${meant}); ${from} is told. You stop after this turn: begin nothing new.`
    : `Shutdown rejected (request ${meant}); ${from} is told why. Go on with your work.`
}

async function submitPlan(
  { recipient = 'lead', content, team_name }: Of<'plan_approval_request'>,
  context: ToolContext,
) {
  const membership = await membershipOf(context, team_name)
  // The lead decides about plans of its team; another recipient has to be one the sender may write to.
  if (nameKey(recipient) !== 'lead') routed(membership, { to: recipient, type: 'message', content })
  const { request } = granted(
    await membership.run({ type: 'request.open', kind: 'plan_approval', to: recipient, content }),
  )
  return `Plan submitted to ${request?.to} (request ${request?.id}, pending). End your turn: the decision wakes you.`
}

async function answerPlan(input: Of<'plan_approval_response'>, context: ToolContext): Promise<string> {
  const { approve, request_id, recipient } = input
  const membership = await membershipOfRequest(context, 'plan_approval', input)
  const { id, from } = requestMeant(membership.state, 'plan_approval', membership.name, { request_id, recipient })
  const feedback = input.feedback ?? together(input.reason, input.content)
  granted(await membership.run({ type: 'request.answer', id, approve, feedback }))
  const left = openRequests(membership.state, 'plan_approval', membership.name)
  const next = left.length === 0 ? '' : ` ${waitingRequestsText('plan_approval', left)}`
  return `Plan of ${from} ${approve ? 'approved' : 'rejected'} (request ${id}); ${from} is told.${next}`
}

async function sent(membership: TeamMembership, message: MessageDraft): Promise<readonly Effect[]> {
  return granted(await membership.send(message))
}

function together(reason: string | undefined, content: string | undefined): string {
  return [...new Set([reason, content])].filter(Boolean).join(': ')
}
