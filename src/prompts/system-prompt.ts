import { isSessionId } from '../team/members/session-id.ts'
import lead from './lead.md'
import teammate from './teammate.md'

export interface Surroundings {
  readonly team: string
  readonly root: string
  readonly folders: readonly string[]
  /** Text of the user that ends the prompt. */
  readonly append?: string | undefined
}

/** No ids and no times: the same conversation reads the same tomorrow, for a cache and for a replay. */
export function leadPrompt({ team, root, folders, append }: Surroundings): string {
  const more = [
    ...(folders.length > 0 ? [`You may also read and write in: ${folders.join(', ')}.`] : []),
    ...(append ? [append] : []),
  ]
  return lead
    .replace('{team}', calledTeam(team))
    .replace('{root}', () => root)
    .replace('{more}', () => more.map((text) => `\n${text}\n`).join(''))
    .trim()
}

export interface TeammateFacts extends Surroundings {
  readonly name: string
  readonly role: string
  readonly send: string
  /** What its agent type adds. */
  readonly type?: { readonly prompt: string } | undefined
}

/** The system prompt of a teammate: who it is, how the team works, and what its type adds. */
export function teammatePrompt({ team, root, folders, name, role, send, type, append }: TeammateFacts): string {
  const more = [
    ...(folders.length > 0 ? [`You may also read and write in: ${folders.join(', ')}.`] : []),
    ...(type ? [type.prompt] : []),
    ...(append ? [append] : []),
  ]
  return teammate
    .replace('{team}', calledTeam(team))
    .replace('{root}', () => root)
    .replaceAll('{send}', send)
    .replace('{name}', name)
    .replace('{more}', () => more.map((text) => `\n${text}\n`).join(''))
    .replace('{role}', () => role)
    .trim()
}

/** As agents call it: a session id says nothing to them, and differs from run to run. */
export function calledTeam(team: string): string {
  return isSessionId(team) ? 'your team' : `the team ${team}`
}

/** The system prompt of a subagent: the prompt of its type, and where it works. */
export function subagentPrompt(prompt: string, { root, folders }: Pick<Surroundings, 'root' | 'folders'>): string {
  const open = folders.length > 0 ? ` You may also read in: ${folders.join(', ')}.` : ''
  return `${prompt}\n\nYou work in the folder ${root}.${open}`
}
