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

export const NO_USAGE: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    output: a.output + b.output,
  }
}
