import { nameRule } from '../../team/name.ts'
import { membersText } from '../../team/refusal-text.ts'
import { presentMembers } from '../../team/rights.ts'
import type { NotAName } from '../program/arguments.ts'
import type { Call } from '../program/context.ts'
import { Misused, Refused } from '../program/failure.ts'
import { withTeam } from './open-team.ts'

/** The error for an invalid member name, with the members of the team. */
export async function notAMember(call: Call, { text }: NotAName): Promise<Misused> {
  return new Misused(`${nameRule(text)} ${await membersOfTeam(call)}`)
}

async function membersOfTeam(call: Call): Promise<string> {
  try {
    return await withTeam(call, 'read', async ({ state }) =>
      state.team.get() ? membersText(presentMembers(state)) : 'There is no team here yet.',
    )
  } catch (error) {
    // That the team is missing too is worth reporting, and does not change the error.
    if (error instanceof Refused) return error.message
    throw error
  }
}
