import { checkMemberToken, memberWithToken } from '../../journal/member-token.ts'
import type { Author } from '../../team/event.ts'
import { isPresent } from '../../team/members/member.ts'
import { nameKey } from '../../team/name.ts'
import { type Refusal, refuse } from '../../team/refusal.ts'
import { unknownMember } from '../../team/rights.ts'
import { memberNamed, type TeamState } from '../../team/state.ts'

/** A member by its name, if this is its token. Agents are run by us and act through their own tools. */
export function identifyByName(state: TeamState, name: string, token: string | undefined): Author | Refusal {
  const member = memberNamed(state, name)
  if (!member) return unknownMember(state, name)
  if (member.kind === 'agent') return refuse('not_allowed', { problem: 'is_agent', member: member.name })
  if (!isPresent(member)) return refuse('member_stopped', { problem: 'caller', member: member.name, role: member.role })
  return checkMemberToken(state, name, token) ?? { name: member.name }
}

/** The member whose token this is; with `only` no other member. A member without a token cannot be meant by one. */
export function identifyByToken(state: TeamState, token: string, only: string | undefined): Author | Refusal {
  const member = memberWithToken(state, token)
  if (member && (only === undefined || nameKey(only) === nameKey(member.name))) return { name: member.name }
  return refuse('wrong_token', { problem: 'unknown' })
}
