import { nameKey } from '../../team/name.ts'
import type { TeamState } from '../../team/state.ts'
import type { Memberships, TeamMembership } from '../team-membership.ts'
import type { ToolContext } from '../tool.ts'
import { NotDone } from './not-done.ts'
import { OWN_TEAM } from './team-name.ts'

/** Where a call acts, with the newest news: the team it names, else the one its agent works in now. */
export async function membershipOf({ memberships }: ToolContext, team?: string): Promise<TeamMembership> {
  const known = memberships?.teams.find((name) => team !== undefined && nameKey(name) === nameKey(team))
  const membership = memberships?.membership(known ?? (team === OWN_TEAM ? memberships.teams[0] : team))
  if (!membership) {
    const there = memberships?.teams.length ? ` You are in: ${teamNames(memberships, memberships.teams)}.` : ''
    throw new NotDone(
      team === undefined ? 'You are in no team.' : `Team '${team}' not found.${there} Leave team_name out.`,
    )
  }
  await membership.refresh()
  return membership
}

/**
 * The same for what is looked up by name: where no team is named, the current one goes first, then the others its agent
 * is in. If none of them knows it, the current one says so.
 */
export async function membershipKnowing(
  context: ToolContext,
  team: string | undefined,
  knows: (state: TeamState) => boolean,
): Promise<TeamMembership> {
  const current = await membershipOf(context, team)
  if (team !== undefined || knows(current.state)) return current
  for (const name of context.memberships?.teams ?? []) {
    const other = await membershipOf(context, name)
    if (knows(other.state)) return other
  }
  return current
}

/** Which team that is, in words. */
export function teamWords({ memberships }: ToolContext, team: string): string {
  return team === memberships?.teams[0] ? 'your team' : `team '${team}'`
}

/** As they are named in a call. */
export function teamNames(memberships: Memberships | undefined, teams: readonly string[]): string {
  return teams.map((team) => (team === memberships?.teams[0] ? OWN_TEAM : team)).join(', ')
}
