import { z } from 'zod'

/** The folder in which a session's commands run: a real path, on the machine with this id. */
export const SessionFolder = z.object({ machine: z.string(), path: z.string() })
export type SessionFolder = z.infer<typeof SessionFolder>
