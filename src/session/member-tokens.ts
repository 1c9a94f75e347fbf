import { hashOfToken, newMemberToken } from '../journal/member-token.ts'
import type { Acting, TeamHandle } from '../journal/team-handle.ts'
import { keepMemberToken, removeOldTokens, tokenFileOf } from '../stores/files/identity/member-tokens.ts'
import type { Answer } from '../team/answers/answer.ts'
import type { Command } from '../team/command.ts'
import { nameKey } from '../team/name.ts'
import { isRefusal, type Refusal } from '../team/refusal.ts'

type Env = Readonly<Record<string, string | undefined>>

/** `tokenFile`: where this user finds the token of the member; undefined where it has none here. */
export type WithToken = Answer & { readonly tokenFile?: string | undefined }

/** A script or person joins and gets a token; one that is in the team already keeps its own. */
export function joinWithToken(
  team: TeamHandle,
  env: Env,
  command: Omit<Extract<Command, { type: 'member.join' }>, 'type' | 'tokenHash'>,
  as?: Acting,
): Promise<WithToken | Refusal> {
  return withNewToken(team, env, command.name, (tokenHash) =>
    team.run({ type: 'member.join', ...command, tokenHash }, as),
  )
}

/** A new token for a member; the one before it is void. */
export function renewToken(team: TeamHandle, env: Env, member: string, as?: Acting): Promise<WithToken | Refusal> {
  return withNewToken(team, env, member, (hash) => team.run({ type: 'token.issue', member, hash }, as))
}

async function withNewToken(
  team: TeamHandle,
  env: Env,
  name: string,
  issue: (hash: string) => Promise<Answer | Refusal>,
): Promise<WithToken | Refusal> {
  const token = newMemberToken()
  const hash = hashOfToken(token)
  // Where a team begins with this member, its folder is known only afterwards.
  if (team.state.team.get() !== undefined) keepMemberToken(env, team.state, name, token)
  const answer = await issue(hash)
  if (!isRefusal(answer) && team.state.tokens.get(nameKey(name)) === hash) keepMemberToken(env, team.state, name, token)
  removeOldTokens(env, team.state, name)
  return isRefusal(answer) ? answer : { ...answer, tokenFile: tokenFileOf(env, team.state, name) }
}
