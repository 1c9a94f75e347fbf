import { roleKey } from '../../team/members/role.ts'
import { nameKey } from '../../team/name.ts'
import { memberNamed, type TeamState } from '../../team/state.ts'
import type { Organisation } from '../definition/organisation.ts'

/** Who sends or gets a message: a role, and the department it acts in; the owner and the user are in none. */
export interface Party {
  readonly role: string
  readonly department: string | null
}

/** The role of a member of a department's team; undefined for a role that the organisation does not have there. */
export function partyOf(
  organisation: Organisation,
  department: string,
  state: TeamState,
  name: string,
): Party | undefined {
  if (nameKey(name) === 'user') return { role: 'user', department: null }
  const member = memberNamed(state, name)
  if (!member) return undefined
  const lead = leadRole(organisation)
  if (nameKey(member.name) === 'lead') return lead === undefined ? undefined : { role: lead, department }
  const role = roleNamed(organisation, department, member.role)
  return role === undefined ? undefined : { role, department }
}

/** `dev`, or `yolo-fe-dev` in the department with that prefix. Only members of a team have such a role. */
function roleNamed({ roles, departments }: Organisation, department: string, text: string): string | undefined {
  const key = roleKey(text)
  const { prefix = '', roles: members = [] } = departments.get(department) ?? {}
  const name = members.includes(key) ? key : key.startsWith(prefix) ? key.slice(prefix.length) : ''
  return members.includes(name) && roles.get(name)?.kind === 'member' ? name : undefined
}

/**
 * Who hands something over without being asked for by mail: a member, also a one-shot one of a task-only role, or a subagent by
 * the name of its role.
 */
export function actorOf(
  organisation: Organisation,
  department: string,
  state: TeamState,
  name: string,
): Party | undefined {
  const party = partyOf(organisation, department, state, name)
  if (party) return party
  const key = roleKey(memberNamed(state, name)?.role ?? name)
  const { prefix = '' } = organisation.departments.get(department) ?? {}
  const role = organisation.roles.has(key) || !key.startsWith(prefix) ? key : key.slice(prefix.length)
  return organisation.roles.get(role)?.kind === 'task-only' ? { role, department } : undefined
}

/** A party outside of the team, by the name that others use: the owner, the lead of another department, or that department. */
export function partyOutside({ owner, departments, ...organisation }: Organisation, name: string): Party | undefined {
  const key = nameKey(name)
  if (key === nameKey(owner)) return { role: owner, department: null }
  const lead = leadRole(organisation)
  const found = [...departments].find(([department, one]) =>
    [department, one.lead, `${department}/${lead}`].some((known) => nameKey(known) === key),
  )
  return found && lead !== undefined ? { role: lead, department: found[0] } : undefined
}

export function leadRole({ roles }: Pick<Organisation, 'roles'>): string | undefined {
  return [...roles].find(([, { kind }]) => kind === 'lead')?.[0]
}
