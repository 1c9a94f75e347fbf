import type { Usage } from '../team/usage.ts'
import type { Price } from './model.ts'

/** In US dollars. */
export function costOf(usage: Usage, price: Price): number {
  return (
    (usage.input * price.input +
      usage.cacheRead * price.cacheRead +
      usage.cacheWrite * price.cacheWrite +
      usage.output * price.output) /
    1_000_000
  )
}
