import { z } from 'zod'

const tokens = z.number().int().nonnegative()

/** What one call of a model used. `input` counts what was neither read from nor written to the provider's cache. */
export const Usage = z.object({
  input: tokens,
  cacheRead: tokens,
  cacheWrite: tokens,
  output: tokens,
})
export type Usage = z.infer<typeof Usage>

/** What a member has used so far. Calls without a known price are counted, not taken for free. */
export const Spent = z.object({ usage: Usage, cost: z.number(), calls: tokens, unpriced: tokens })
export type Spent = z.infer<typeof Spent>

const NO_USAGE: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }

function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    output: a.output + b.output,
  }
}

export function spend(before: Spent | undefined, usage: Usage, cost: number | null): Spent {
  const { usage: used, cost: paid, calls, unpriced } = before ?? { usage: NO_USAGE, cost: 0, calls: 0, unpriced: 0 }
  return {
    usage: addUsage(used, usage),
    cost: paid + (cost ?? 0),
    calls: calls + 1,
    unpriced: unpriced + (cost === null ? 1 : 0),
  }
}
