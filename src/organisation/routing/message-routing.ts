import { z } from 'zod'
import { isDerived, isHandOff, isTalk } from '../../team/message.ts'
import { nameKey } from '../../team/name.ts'
import { isRefusal, type Refusal, type RefusalDetails, refuse } from '../../team/refusal.ts'
import { roster, type TeamState } from '../../team/state.ts'
import type { MessageRouting, Route, RoutedMessage } from '../../tools/message-routing.ts'
import type { Handoff } from '../definition/handoff.ts'
import type { Organisation } from '../definition/organisation.ts'
import { escalationProblem, nextLevel } from '../guards/escalation.ts'
import { handOffDraft } from '../views/hand-offs.ts'
import { checkAnswer } from './check-answer.ts'
import { checkContent } from './check-content.ts'
import { escalationTimeouts, superiorOf } from './escalation-timeouts.ts'
import { type Party, partyOf, partyOutside } from './roles.ts'

export interface RoutingOptions {
  readonly organisation: Organisation
  readonly department: string
  /** Of the phase, relative to the workspace: hand-offs between departments are recorded for it. */
  readonly folder: string
  readonly record?: MessageRouting['record']
  /**
   * The team has some roles of its department only: where no member has a role that a sender may write to, the next level of the
   * escalation chain that has a member gets the message.
   */
  readonly isPartial?: boolean
}

/** The routing of one department's team. What no rule allows is refused, also for a role that no rule names. */
export function createMessageRouting(options: RoutingOptions): MessageRouting {
  const { organisation, record } = options
  return {
    ...(record && { record }),
    superiorOf: (name, state) => superiorOf(options, name, state),
    escalation: escalationTimeouts(options),
    addedTypes: [...organisation.handoffs.keys()].filter((type) => !isHandOff(type)),
    checkAnswer: (given, state) => checkAnswer({ ...options, isSender, wrongIdentity }, given, state),
    route(message, state) {
      const route = routeOf(options, message, state)
      if (!isRefusal(route) || organisation.routing.violations === 'reject') return route
      return canWarn(route, message, state) ? { via: 'message', violation: route } : route
    },
  }
}

/** A warning is enough only where there is a mailbox to deliver to, and never for what the runtime says itself. */
function canWarn({ code, details }: Refusal, { to }: RoutedMessage, state: TeamState): boolean {
  if (code === 'not_routed' && details.problem === 'derived') return false
  return nameKey(to) === 'all' || state.members.has(nameKey(to))
}

function routeOf(options: RoutingOptions, message: RoutedMessage, state: TeamState): Route | Refusal {
  const { organisation, department } = options
  const { from, to, type, content } = message
  if (isDerived(type)) return refuse('not_routed', { problem: 'derived', type })
  const sender = partyOf(organisation, department, state, from)
  if (!sender) return unknownRole(options, state, from)
  if (isTalk(type)) return routeTalk(options, message, state, sender)
  const handoff = organisation.handoffs.get(type)
  if (!handoff || handoff.via === 'result' || !isSender(handoff, sender))
    return refuse('not_routed', {
      problem: 'type',
      type,
      by: from,
      role: sender.role,
      sends: sendsOf(organisation, sender),
    })
  const checked = checkContent(type, handoff, content)
  const issues = 'issues' in checked ? [...checked.issues] : wrongIdentity(checked, handoff, sender)
  if (issues.length > 0)
    return refuse('not_routed', { problem: 'content', type, issues, fields: Object.keys(handoff.schema.shape) })
  const fields = 'fields' in checked ? checked.fields : {}
  const recipient = partyOf(organisation, department, state, to) ?? partyOutside(organisation, to)
  const isMeant = recipient && isRecipient(organisation, { handoff, sender, recipient, result: fields.result })
  if (!recipient || (!isMeant && !isStandIn(options, state, { message, sender, handoff })))
    return wrongRecipient(options, state, { message, sender, recipient, handoff })
  const isInside = recipient.department === department && recipient.role !== organisation.owner
  if (handoff.via === 'message' && isInside) return { via: 'message' }
  const progress = progressOf(handoff)
  const between = { from: department, to: recipient.department ?? recipient.role }
  const draft = handOffDraft({ folder: options.folder, kind: type, ...between, content: { ...fields }, progress })
  return { via: 'file', handOff: draft, file: handoff.file?.replaceAll('{department}', department) }
}

/** Plain messages: every recipient must be one the sender may write to, so that a broadcast reaches no other role. */
function routeTalk(options: RoutingOptions, message: RoutedMessage, state: TeamState, sender: Party): Route | Refusal {
  const { organisation, department } = options
  const names = nameKey(message.to) === 'all' ? others(state, message.from) : [message.to]
  const allowed = organisation.routing.talk[sender.role] ?? []
  for (const name of names) {
    const recipient = partyOf(organisation, department, state, name)
    const addressed = { message: { ...message, to: name }, sender, handoff: undefined }
    if (!recipient || (!allowed.includes(recipient.role) && !isStandIn(options, state, addressed)))
      return wrongRecipient(options, state, { ...addressed, recipient: recipient ?? partyOutside(organisation, name) })
  }
  return { via: 'message' }
}

function others(state: TeamState, from: string): string[] {
  return roster(state)
    .filter(({ name, status }) => status !== 'stopped' && nameKey(name) !== nameKey(from))
    .map(({ name }) => name)
}

function isSender({ from }: Handoff, party: Party): boolean {
  return from.some((end) => isEnd(end, party))
}

/** `any` is every role of a team. */
function isEnd(end: string, { role, department }: Party): boolean {
  const [wanted, wantedDepartment] = end.split('/').reverse()
  if (end === 'any') return department !== null
  return wanted === role && (wantedDepartment === undefined || wantedDepartment === department)
}

interface Addressed {
  readonly handoff: Handoff
  readonly sender: Party
  readonly recipient: Party
  /** Of an audit: a FAIL may skip levels. */
  readonly result?: unknown
}

function isRecipient({ escalation }: Organisation, { handoff, sender, recipient, result }: Addressed): boolean {
  const isOther = handoff.via !== 'file' || recipient.department !== sender.department
  return handoff.to.some((end) => {
    if (end !== 'up') return isOther && isEnd(end, recipient)
    const said = { evidence: ['given'], recommendation: 'given', ...(typeof result === 'string' && { result }) }
    return escalationProblem(escalation, { from: sender.role, to: recipient.role, ...said }) === undefined
  })
}

/** What a sender says about itself must be what the runtime knows. */
function wrongIdentity(checked: ReturnType<typeof checkContent>, { to }: Handoff, { role }: Party): string[] {
  if (!('fields' in checked)) return []
  const said = [checked.envelope?.author_role, to.includes('up') ? checked.fields.from : undefined]
  return said.flatMap((name) =>
    name === undefined || name === role ? [] : [`from: you are ${role}, not ${JSON.stringify(name)}`],
  )
}

function progressOf({ schema, progress }: Handoff): string[] {
  const field = progress === undefined ? undefined : schema.shape[progress]
  return field instanceof z.ZodEnum ? field.options.map(String) : []
}

function unknownRole({ organisation, department }: RoutingOptions, state: TeamState, by: string): Refusal {
  const role = state.members.get(nameKey(by))?.role ?? ''
  const roles = organisation.departments.get(department)?.roles ?? []
  return refuse('not_routed', { problem: 'unknown_role', by, role, roles: [...roles] })
}

interface Sent {
  readonly message: RoutedMessage
  readonly sender: Party
  readonly handoff: Handoff | undefined
}

interface Misaddressed extends Sent {
  readonly recipient: Party | undefined
}

/** The roles that a sender may write to, and the members that have one of them. */
function allowedBy({ organisation, department }: RoutingOptions, state: TeamState, { message, sender, handoff }: Sent) {
  const roles = handoff ? rolesFor(organisation, handoff, sender) : (organisation.routing.talk[sender.role] ?? [])
  const present = others(state, message.from).filter((name) => {
    const party = partyOf(organisation, department, state, name)
    return party !== undefined && roles.some((end) => isEnd(end, party))
  })
  return { roles, present }
}

/** The member that gets messages for roles that the team does not have. */
function standInFor(options: RoutingOptions, state: TeamState, sent: Sent): string | undefined {
  if (!options.isPartial || sent.handoff?.via === 'file') return undefined
  return allowedBy(options, state, sent).present.length > 0 ? undefined : superiorOf(options, sent.message.from, state)
}

function isStandIn(options: RoutingOptions, state: TeamState, sent: Sent): boolean {
  return nameKey(standInFor(options, state, sent) ?? '') === nameKey(sent.message.to)
}

function wrongRecipient(options: RoutingOptions, state: TeamState, { recipient, ...sent }: Misaddressed): Refusal {
  const { organisation, department } = options
  const { message, sender, handoff } = sent
  const { from, to, type } = message
  const { roles, present } = allowedBy(options, state, sent)
  const standIn = standInFor(options, state, sent)
  const details: Extract<RefusalDetails['not_routed'], { problem: 'recipient' }> = {
    problem: 'recipient',
    type: type === 'broadcast' ? 'message' : type,
    by: from,
    role: sender.role,
    to,
    toRole: recipient?.role ?? state.members.get(nameKey(to))?.role ?? null,
    isOtherDepartment: recipient !== undefined && recipient.department !== null && recipient.department !== department,
    roles,
    allowed:
      handoff?.via === 'file'
        ? outsideNames(organisation, roles, department)
        : standIn === undefined
          ? present
          : [standIn],
  }
  return refuse('not_routed', details)
}

function rolesFor({ escalation }: Organisation, { to }: Handoff, { role }: Party): string[] {
  return to.flatMap((end) => (end === 'up' ? (nextLevel(escalation, role) ?? []) : [end]))
}

/** How a lead addresses the owner and the leads of other departments. */
function outsideNames({ departments, owner }: Organisation, ends: readonly string[], own: string): string[] {
  return ends.flatMap((end) => {
    const [role, department] = end.split('/').reverse()
    if (role === owner) return [owner]
    return [...departments].flatMap(([name, { lead }]) =>
      name !== own && (department === undefined || department === name) ? [lead] : [],
    )
  })
}

function sendsOf(organisation: Organisation, sender: Party): string[] {
  return [...organisation.handoffs]
    .filter(([, handoff]) => handoff.via !== 'result' && isSender(handoff, sender))
    .map(([type, handoff]) => `${type} to ${rolesFor(organisation, handoff, sender).join(' or ')}`)
}
