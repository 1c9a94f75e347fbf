import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { isPresent, type Member } from '../team/members/member.ts'
import { nameKey } from '../team/name.ts'
import { type Refusal, refuse } from '../team/refusal.ts'
import { memberNamed, type TeamState } from '../team/state.ts'

/** Proves that its holder may act as one external or human member. Redaction knows it by its first letters. */
export function newMemberToken(): string {
  return `dmt_${randomBytes(32).toString('base64url')}`
}

/** What the journal keeps of a token. */
export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/**
 * The one place that decides whether a caller may act as a member: undefined, or why not. Members that joined before there
 * were tokens have none, and act without. It does not bind a process that writes the journal itself.
 */
export function checkMemberToken(state: TeamState, name: string, token: string | undefined): Refusal | undefined {
  const hash = state.tokens.get(nameKey(name))
  if (hash === undefined) return undefined
  const member = memberNamed(state, name)?.name ?? name
  if (!token) return refuse('wrong_token', { problem: 'missing', member })
  return isSame(hash, hashOfToken(token)) ? undefined : refuse('wrong_token', { problem: 'wrong', member })
}

/** The member of the team whose token this is. */
export function memberWithToken(state: TeamState, token: string): Member | undefined {
  const hash = hashOfToken(token)
  let found: Member | undefined
  for (const member of state.members.values()) {
    const known = state.tokens.get(nameKey(member.name))
    if (known !== undefined && isSame(known, hash) && member.kind !== 'agent' && isPresent(member)) found = member
  }
  return found
}

/** In the same time whatever the texts are. */
function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
}
