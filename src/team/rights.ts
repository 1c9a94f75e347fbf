import { isName, nameKey, nameRule } from './name.ts'
import { roster, type TeamState } from './state.ts'

/** The user has the lead's rights. */
export function isLead(name: string): boolean {
  return ['lead', 'user'].includes(nameKey(name))
}

/** Who that is not, and who there is. */
export function unknownMember(state: TeamState, name: string): string {
  return `${isName(name) ? `Nobody in this team is called ${name}.` : nameRule(name)} ${presentMembers(state)}`
}

export function presentMembers(state: TeamState): string {
  const names = roster(state).filter((member) => member.status !== 'stopped')
  return `Members: ${names.map((member) => member.name).join(', ')}.`
}
