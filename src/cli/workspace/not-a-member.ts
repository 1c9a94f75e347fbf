import { nameRule } from '../../team/name.ts'
import { membersText } from '../../team/refusal-text.ts'
import { presentMembers } from '../../team/rights.ts'
import type { NotAName } from '../program/arguments.ts'
import type { Call } from '../program/context.ts'
import { Misused, Refused } from '../program/failure.ts'
import { withTeam } from './open-team.ts'

/** Why this names nobody, and who there is. */
export async function notAMember(call: Call, { text }: NotAName): Promise<Misused> {
  return new Misused(`${nameRule(text)} ${await whoThereIs(call)}`)
}

async function whoThereIs(call: Call): Promise<string> {
  try {
    return await withTeam(call, 'read', async ({ state }) =>
      state.team.get() ? membersText(presentMembers(state)) : 'There is no team here yet.',
    )
  } catch (error) {
    // That the team is not there either is worth saying, and changes nothing about the name.
    if (error instanceof Refused) return error.message
    throw error
  }
}
