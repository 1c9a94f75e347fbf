import type { Spelling } from './team/spelling.ts'
import type { Tool } from './tool.ts'

/** Who an agent is decides what it is offered. explore, plan and code are subagents. */
export type Role = 'lead' | 'teammate' | 'explore' | 'plan' | 'code'

interface Row {
  readonly team: readonly string[]
  /** Left out: the same. */
  readonly simple?: readonly string[]
  readonly roles: readonly Role[]
}

const ALL: readonly Role[] = ['lead', 'teammate', 'explore', 'plan', 'code']
const SEATED: readonly Role[] = ['lead', 'teammate']

/** Which tool is offered to whom. Those who only look get bash under a policy that is read-only. */
const OFFERED: readonly Row[] = [
  { team: ['bash', 'read_file'], roles: ALL },
  { team: ['write_file', 'edit_file'], roles: ['lead', 'teammate', 'code'] },
  { team: ['glob', 'grep'], roles: ALL },
  { team: ['TaskCreate', 'TaskUpdate', 'TaskList'], roles: SEATED },
  { team: ['TaskGet'], roles: ['lead'] },
  { team: ['SendMessage'], simple: ['send_message'], roles: SEATED },
  { team: [], simple: ['broadcast'], roles: ['lead'] },
  { team: [], simple: ['read_inbox'], roles: SEATED },
  { team: ['Task'], simple: ['Task', 'spawn_teammate'], roles: ['lead'] },
  { team: ['TaskOutput', 'TaskStop'], roles: ['lead'] },
  { team: ['TeamCreate', 'TeamDelete'], simple: ['list_teammates'], roles: ['lead'] },
  { team: ['Skill'], roles: ['lead'] },
]

/** The names of all tools in both spellings, for rules that name one. */
export const EVERY_NAME: readonly string[] = OFFERED.flatMap(({ team, simple = [] }) => [...team, ...simple])

export function namesFor(role: Role, spelling: Spelling = 'team'): string[] {
  const rows = OFFERED.filter(({ roles }) => roles.includes(role))
  return rows.flatMap(({ team, simple = team }) => (spelling === 'team' ? team : simple))
}

/** Those of `tools` that have one of these names. */
export function pick(tools: readonly Tool[], names: readonly string[]): Tool[] {
  return tools.filter(({ name }) => names.includes(name))
}

/** Only who can look after a job may start one. */
export function mayRunInBackground(role: Role): boolean {
  return ['TaskOutput', 'TaskStop'].every((name) => namesFor(role).includes(name))
}
