import { z } from 'zod'
import { nameKey } from '../../team/name.ts'
import type { TeamState } from '../../team/state.ts'
import type { TeamMembership } from '../team-membership.ts'
import type { ToolContext } from '../tool.ts'
import { NotDone } from './not-done.ts'

/** The membership a call acts through, with its newest state: in the team it names, else in the team joined last. */
export async function membershipOf(context: ToolContext, team?: string): Promise<TeamMembership> {
  const memberships = context.memberships()
  const membership = team === undefined ? memberships.at(-1) : findMembership(memberships, team)
  if (!membership) {
    const known = memberships.length > 0 ? ` You are in: ${teamNames(context, memberships)}.` : ''
    throw new NotDone(
      team === undefined ? 'You are in no team.' : `Team '${team}' not found.${known} Leave team_name out.`,
    )
  }
  await membership.refresh()
  return membership
}

function findMembership(memberships: readonly TeamMembership[], team: string): TeamMembership | undefined {
  const named = memberships.find((membership) => nameKey(membership.team) === nameKey(team))
  return named ?? (team === OWN_TEAM ? memberships[0] : undefined)
}

/**
 * The same for what a call looks up by its name: without a team, the current one is tried first, then the agent's other
 * teams. Returns the current one if none of them knows it.
 */
export async function membershipKnowing(
  context: ToolContext,
  team: string | undefined,
  knows: (state: TeamState) => boolean,
): Promise<TeamMembership> {
  const current = await membershipOf(context, team)
  if (team !== undefined || knows(current.state)) return current
  for (const membership of context.memberships()) {
    await membership.refresh()
    if (knows(membership.state)) return membership
  }
  return current
}

/** `your team` for the team the agent began in: that one may be named by a session id. */
export function teamWords(context: ToolContext, team: string): string {
  return isOwnTeam(context, team) ? 'your team' : `team '${team}'`
}

/** As a call names them. */
export function teamNames(context: ToolContext, memberships: readonly TeamMembership[]): string {
  return memberships.map(({ team }) => (isOwnTeam(context, team) ? OWN_TEAM : team)).join(', ')
}

function isOwnTeam(context: ToolContext, team: string): boolean {
  return team === context.memberships()[0]?.team
}

/** How an agent names the team it began in: its real name may be a session id. */
const OWN_TEAM = 'own'

export const TeamName = z
  .string()
  .min(1)
  .optional()
  .describe(`one of your teams other than the current one; '${OWN_TEAM}' is the one you began in`)
