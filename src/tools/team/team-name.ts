import { z } from 'zod'

/** How an agent names the team it began in: its real name may be a session id. */
export const OWN_TEAM = 'own'

export const TeamName = z
  .string()
  .min(1)
  .optional()
  .describe(`one of your teams other than the current one; '${OWN_TEAM}' is the one you began in`)
