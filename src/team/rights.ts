import type { Author } from './event.ts'
import { isFenced } from './mail/mail.ts'
import { isName, isReserved, nameKey } from './name.ts'
import { type LeadOperation, type Refusal, refuse } from './refusal.ts'
import { memberNamed, roster, type TeamState } from './state.ts'

/** Is there a team, and may this author act in it at all? */
export function mayAct(state: TeamState, by: Author): Refusal | undefined {
  const team = state.team.get()
  if (!team) return refuse('unknown_team', {})
  if (team.deleted) return refuse('team_deleted', { team: team.name })
  if (nameKey(by.name) === 'user') return undefined
  const member = memberNamed(state, by.name)
  if (!member) return unknownMember(state, by.name)
  if (isFenced(state, { by })) {
    const { name, generation, status } = member
    const current = { generation, status }
    return refuse('fenced', { problem: 'replaced', member: name, generation: by.generation, current })
  }
  if (member.kind === 'agent' && nameKey(member.name) !== 'lead' && by.generation === undefined)
    return refuse('fenced', { problem: 'no_generation', member: member.name })
  if (member.status === 'stopped')
    return refuse('member_stopped', { problem: 'caller', member: member.name, role: member.role })
  return undefined
}

/** A name that a new team or member may have. */
export function checkName(name: string): Refusal | undefined {
  if (!isName(name)) return refuse('invalid', { problem: 'name', name })
  return isReserved(name) ? refuse('invalid', { problem: 'reserved_name', name }) : undefined
}

export function leadOnly(operation: LeadOperation, by: Author): Refusal {
  return refuse('not_allowed', { problem: 'lead_only', operation, by: by.name })
}

/** The user has the lead's rights. */
export function isLead(name: string): boolean {
  return ['lead', 'user'].includes(nameKey(name))
}

export function unknownMember(state: TeamState, name: string): Refusal {
  return state.team.get()
    ? refuse('unknown_member', { name, members: presentMembers(state) })
    : refuse('unknown_team', {})
}

/** The names of all members that have not stopped. */
export function presentMembers(state: TeamState): string[] {
  return roster(state).flatMap(({ name, status }) => (status === 'stopped' ? [] : [name]))
}
