import { isPresent } from '../../team/members/member.ts'
import { isHandOff, type MessageType } from '../../team/message.ts'
import { nameKey } from '../../team/name.ts'
import type { HandOff } from '../../team/phases/phase.ts'
import { type Refusal, refuse } from '../../team/refusal.ts'
import { roster, type TeamState } from '../../team/state.ts'
import type { GivenAnswer, HandedOver } from '../../tools/message-routing.ts'
import type { Handoff } from '../definition/handoff.ts'
import type { Organisation } from '../definition/organisation.ts'
import { handOffDraft } from '../views/hand-offs.ts'
import { checkContent } from './check-content.ts'
import { levelAbove } from './escalation-timeouts.ts'
import { actorOf, type Party, partyOf } from './roles.ts'

export interface AnswerRules {
  readonly organisation: Organisation
  readonly department: string
  /** Of the phase, relative to the workspace. */
  readonly folder: string
  isSender(handoff: Handoff, party: Party): boolean
  /** What the sender says about itself against what the runtime knows. */
  wrongIdentity(checked: ReturnType<typeof checkContent>, handoff: Handoff, party: Party): string[]
}

/**
 * The final answer of a one-shot agent, checked like a message of a teammate: a JSON object is a hand-off of its role. Other text is
 * none, and refused only where the role has a hand-off that travels as its answer and accepts no text.
 */
export function checkAnswer(
  rules: AnswerRules,
  { from, isMember, answer }: GivenAnswer,
  state: TeamState,
): HandedOver | Refusal | undefined {
  const { organisation } = rules
  const party = actorOf(organisation, rules.department, state, from)
  if (!party) return undefined
  const sent = new Map([...organisation.handoffs].filter(([, one]) => one.via !== 'file' && rules.isSender(one, party)))
  const own = [...sent].filter(([, { from: ends }]) => !ends.includes('any'))
  const content = unfenced(answer)
  const said = typeIn(content)
  if (said === undefined) {
    const results = own.filter(([, { via }]) => via === 'result')
    if (results.length === 0 || results.some(([, { text }]) => text)) return undefined
    return invalid(results, ['content: is not a JSON object'])
  }
  const type = said ?? (own.length === 1 ? own[0]![0] : undefined)
  if (type === undefined) return own.length === 0 ? undefined : invalid(own, ['type: is missing'])
  const handoff = sent.get(type)
  if (!handoff) {
    const sends = [...sent].map(([name, { to }]) => `${name} to ${to.join(' or ')}`)
    return refuse('not_routed', { problem: 'type', type, by: from, role: party.role, sends })
  }
  const checked = checkContent(type, handoff, content)
  const issues = 'issues' in checked ? checked.issues : rules.wrongIdentity(checked, handoff, party)
  if (issues.length > 0 || !('fields' in checked)) return invalid([[type, handoff]], issues)
  return handedOver(rules, { party, from, isMember, type, handoff, content, fields: checked.fields }, state)
}

interface ValidAnswer extends Omit<GivenAnswer, 'answer'> {
  readonly party: Party
  readonly type: string
  readonly handoff: Handoff
  readonly content: string
  readonly fields: Readonly<HandOff['content']>
}

/** How it travels: as mail where the team has its recipient, to the owner like any escalation, else into the journal. */
function handedOver(rules: AnswerRules, valid: ValidAnswer, state: TeamState): HandedOver {
  const { organisation, department, folder } = rules
  const { party, from, isMember, type, handoff, content, fields } = valid
  const draft = { folder, kind: type, content: { ...fields }, progress: [] }
  const recipient = handoff.to.includes('up') ? escalatedTo(rules, valid, state) : receiver(rules, handoff, state)
  if (recipient.role === organisation.owner)
    return { via: 'file', handOff: handOffDraft({ ...draft, from: department, to: organisation.owner }) }
  if (!isMember || recipient.member === undefined)
    return {
      via: 'journal',
      handOff: handOffDraft({ ...draft, from: isMember ? from : party.role, to: recipient.role }),
    }
  const named = isHandOff(type) ? { type: type as MessageType } : { type: 'message' as const, extra: { handoff: type } }
  return { via: 'message', message: { to: recipient.member, content, ...named } }
}

interface Recipient {
  readonly role: string
  /** Undefined: the team has no such member. */
  readonly member?: string | undefined
}

/** A FAIL of security goes to the owner at once, every other escalation to the next level that has a member. */
function escalatedTo(rules: AnswerRules, { party, from, fields }: ValidAnswer, state: TeamState): Recipient {
  const { escalation, owner } = rules.organisation
  const isBypass = escalation.bypass.includes(party.role) && fields.result === 'FAIL'
  return (isBypass ? undefined : levelAbove(rules, party.role, [from], state)) ?? { role: owner }
}

/** The first role that it may go to and that has a member; else the first one. */
function receiver({ organisation, department }: AnswerRules, { to }: Handoff, state: TeamState): Recipient {
  const roles = to.map((end) => end.split('/').at(-1) ?? end)
  const there = roster(state)
    .filter((member) => isPresent(member) && member.status !== 'lost')
    .map(({ name }) => ({ member: name, role: partyOf(organisation, department, state, name)?.role ?? nameKey(name) }))
  return (
    roles.flatMap((role) => there.filter((one) => one.role === role))[0] ?? { role: roles[0] ?? organisation.owner }
  )
}

function invalid(types: readonly (readonly [string, Handoff])[], issues: readonly string[]): Refusal {
  const [first] = types
  const fields = types.length === 1 ? Object.keys(first![1].schema.shape) : ['type', 'of the type that you hand over']
  const type = types.map(([name]) => name).join(' or ')
  return refuse('not_routed', { problem: 'content', type, issues: [...issues], fields })
}

/** The type that a JSON object names; null for an object without one, undefined for anything else. */
function typeIn(content: string): string | null | undefined {
  try {
    const value: unknown = JSON.parse(content)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    return 'type' in value ? String(value.type) : null
  } catch {
    return undefined
  }
}

const FENCED = /^```(?:json)?\s*\n([\s\S]*?)\n\s*```$/

/** Models often write JSON as a block of code. */
function unfenced(answer: string): string {
  const text = answer.trim()
  return FENCED.exec(text)?.[1] ?? text
}
