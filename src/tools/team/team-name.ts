import { z } from 'zod'

/** What an agent calls the team it began in: that one may be named by its session, which is no word for a model. */
export const OWN_TEAM = 'own'

export const TeamName = z
  .string()
  .min(1)
  .optional()
  .describe(`another team of yours than the current one; '${OWN_TEAM}' is the one you began in`)
