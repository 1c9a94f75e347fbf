import type { Author } from './event.ts'
import { isFenced } from './mail.ts'
import { isName, nameKey, nameRule } from './name.ts'
import { type Refusal, refuse } from './refusal.ts'
import { quotedRole } from './role.ts'
import { memberNamed, roster, type TeamState } from './state.ts'

/** Is there a team, and may this author act in it at all? */
export function mayAct(state: TeamState, by: Author): Refusal | undefined {
  const team = state.team.get()
  if (!team) return refuse('unknown_team', 'There is no such team. Create it with: deskmates team create TEAM')
  if (team.deleted)
    return refuse(
      'team_deleted',
      `Team ${team.name} was deleted and not put away yet. To start anew: deskmates team delete ${team.name}, then deskmates team create ${team.name}`,
    )
  if (nameKey(by.name) === 'user') return undefined
  const member = memberNamed(state, by.name)
  if (!member) return refuse('unknown_member', unknownMember(state, by.name))
  if (isFenced(state, { by })) {
    return refuse(
      'fenced',
      `Generation ${by.generation} of ${member.name} was replaced (now ${member.generation}, ${member.status}); it may not act any more.`,
    )
  }
  if (member.kind === 'agent' && nameKey(member.name) !== 'lead' && by.generation === undefined)
    return refuse('fenced', `${member.name} is an agent and acts through its runtime, which names its generation.`)
  if (member.status === 'stopped') {
    return refuse(
      'member_stopped',
      `${member.name} has left the team. Join again with: deskmates team join ${member.name} --role ${quotedRole(member.role)}`,
    )
  }
  return undefined
}

/** The user has the lead's rights. */
export function isLead(name: string): boolean {
  return ['lead', 'user'].includes(nameKey(name))
}

/** Who that is not, and who there is. */
export function unknownMember(state: TeamState, name: string): string {
  if (!state.team.get()) return 'There is no such team yet. Create it with: deskmates team create TEAM'
  return `${isName(name) ? `Nobody in this team is called ${name}.` : nameRule(name)} ${presentMembers(state)}`
}

export function presentMembers(state: TeamState): string {
  const names = roster(state).filter((member) => member.status !== 'stopped')
  return `Members: ${names.map((member) => member.name).join(', ')}.`
}
