import { z } from 'zod'
import list from './spec.json'

/**
 * One SPEC number. `parts` prove it, the first being the first whose layer it touches; `notBuilt` says what is left
 * out and why: everything, or beside `parts` only a piece. `why` explains a part that is not the obvious one.
 */
const Entry = z.strictObject({
  id: z.string().regex(/^[A-DFG][1-9]\d*$/),
  title: z.string().regex(/^\S+( \S+){3,11}$/, 'a title has 4 to 12 words'),
  parts: z.array(z.int().min(1).max(12)).default([]),
  notBuilt: z.string().min(1).optional(),
  why: z.string().min(1).optional(),
})
export type Entry = z.infer<typeof Entry>

export const spec = z.array(Entry).parse(list)

export const sections = {
  A: { last: 91, about: 'Teammates that persist: loop, tools, board, mail, life' },
  B: { last: 75, about: 'Team protocols, autonomy, worktrees, and the correctness bar' },
  C: { last: 81, about: 'Plans, departments, fallback, health' },
  D: { last: 13, about: 'The same team over chat completions' },
  F: { last: 53, about: 'What earlier implementations got wrong' },
  G: { last: 12, about: 'What users of agent teams reported' },
}
