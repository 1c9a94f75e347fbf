import { roleKey } from '../../team/members/role.ts'
import { type Refusal, refuse } from '../../team/refusal.ts'
import { memberNamed, type TeamState } from '../../team/state.ts'
import type { Handoff } from '../definition/handoff.ts'
import type { Organisation } from '../definition/organisation.ts'
import { checkContent } from './check-content.ts'
import { type Party, partyOf } from './roles.ts'

export interface AnswerRules {
  readonly organisation: Organisation
  readonly department: string
  isSender(handoff: Handoff, party: Party): boolean
  /** What the sender says about itself against what the runtime knows. */
  wrongIdentity(checked: ReturnType<typeof checkContent>, handoff: Handoff, party: Party): string[]
}

/**
 * The final answer of a one-shot agent, checked like a message of a teammate: a JSON object is a hand-off of its role. Other text is
 * none, and refused only where the role has a hand-off that travels as its answer and accepts no text.
 */
export function answerProblem(rules: AnswerRules, from: string, answer: string, state: TeamState): Refusal | undefined {
  const { organisation } = rules
  const party = oneShotParty(rules, state, from)
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
  return issues.length > 0 ? invalid([[type, handoff]], issues) : undefined
}

function invalid(types: readonly (readonly [string, Handoff])[], issues: readonly string[]): Refusal {
  const [first] = types
  const fields = types.length === 1 ? Object.keys(first![1].schema.shape) : ['type', 'of the type that you hand over']
  const type = types.map(([name]) => name).join(' or ')
  return refuse('not_routed', { problem: 'content', type, issues: [...issues], fields })
}

/** Also of a task-only role, which is never a member of a team otherwise. */
function oneShotParty({ organisation, department }: AnswerRules, state: TeamState, name: string): Party | undefined {
  const party = partyOf(organisation, department, state, name)
  const key = roleKey(memberNamed(state, name)?.role ?? '')
  const { prefix = '' } = organisation.departments.get(department) ?? {}
  const role = organisation.roles.has(key) || !key.startsWith(prefix) ? key : key.slice(prefix.length)
  return party ?? (organisation.roles.get(role)?.kind === 'task-only' ? { role, department } : undefined)
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
