import { nameKey } from '../../team/name.ts'
import type { TeamState } from '../../team/state.ts'
import type { Memberships, TeamMembership } from '../team-membership.ts'
import type { ToolContext } from '../tool.ts'
import { NotDone } from './not-done.ts'
import { OWN } from './team-name.ts'

/** Where a call acts, with the newest news: the team it names, else the one its agent works in now. */
export async function seatOf({ memberships: seats }: ToolContext, team?: string): Promise<TeamMembership> {
  const known = seats?.teams.find((name) => team !== undefined && nameKey(name) === nameKey(team))
  const seat = seats?.membership(known ?? (team === OWN ? seats.teams[0] : team))
  if (!seat) {
    const there = seats?.teams.length ? ` You are in: ${teamNames(seats, seats.teams)}.` : ''
    throw new NotDone(
      team === undefined ? 'You are in no team.' : `Team '${team}' not found.${there} Leave team_name out.`,
    )
  }
  await seat.refresh()
  return seat
}

/**
 * The same for what is looked up by name: where no team is named, the current one goes first, then the others its agent
 * is in. If none of them knows it, the current one says so.
 */
export async function seatKnowing(
  context: ToolContext,
  team: string | undefined,
  knows: (state: TeamState) => boolean,
): Promise<TeamMembership> {
  const current = await seatOf(context, team)
  if (team !== undefined || knows(current.state)) return current
  for (const name of context.memberships?.teams ?? []) {
    const other = await seatOf(context, name)
    if (knows(other.state)) return other
  }
  return current
}

/** Which team that is, in words. */
export function teamWords({ memberships: seats }: ToolContext, team: string): string {
  return team === seats?.teams[0] ? 'your team' : `team '${team}'`
}

/** As they are named in a call. */
export function teamNames(seats: Memberships | undefined, teams: readonly string[]): string {
  return teams.map((team) => (team === seats?.teams[0] ? OWN : team)).join(', ')
}
