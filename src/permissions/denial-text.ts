import { CORRECT_AND_REPEAT } from '../prompts/notices.ts'

/** Parts of what an agent reads when an action is denied that are advice for the agent, not for the user. */
export const ONLY_USER = ' Only the user can remove that rule: do without it, or report what you need.'
export const NO_PERSON = 'no person can be asked here.'
export const TELL_LEAD = 'Permission required: say so in your report, so that your lead can ask. '
export const USER_CAN_ALLOW = 'The user can allow it:'

/** The same reason for the user who ran the command. */
export function denialForUser(why: string): string {
  return why
    .replace(TELL_LEAD, '')
    .replace(ONLY_USER, ' Remove that rule to allow it.')
    .replace(USER_CAN_ALLOW, 'To allow it:')
    .replace(`, and ${NO_PERSON}`, ', and no person could be asked in this run.')
    .replace(CORRECT_AND_REPEAT, '')
}
