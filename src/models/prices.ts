import type { Usage } from '../team/members/usage.ts'
import type { Price } from './model.ts'

export interface Pricing {
  /** The price of a short conversation; undefined where it is unknown. */
  readonly price: Price | undefined
  /** How many tokens fit into a request with its answer. */
  readonly context: number | undefined
  /** US dollars of one call; null where the price is unknown, never 0. */
  readonly cost: (usage: Usage) => number | null
}

export const UNKNOWN_PRICING: Pricing = { price: undefined, context: undefined, cost: () => null }

/** US dollars of one call. */
export function costOf(usage: Usage, price: Price): number {
  return (
    (usage.input * price.input +
      usage.cacheRead * price.cacheRead +
      usage.cacheWrite * price.cacheWrite +
      usage.output * price.output) /
    1_000_000
  )
}

/** Some providers charge more for the whole call once its input is longer than so many tokens. */
interface Tier {
  readonly above: number
  readonly price: Price
}

/** The entry of a model in the public price list; `provider` is the provider's name in that list. */
export async function listedPricing(provider: string, model: string): Promise<Pricing> {
  const { calcPrice } = await import('@pydantic/genai-prices')
  const found = calcPrice({ input_tokens: 0, output_tokens: 0 }, model, { providerId: provider })
  if (found === null) return UNKNOWN_PRICING
  const context = found.model.context_window
  const tiers = tiersOf(found.model_price)
  const first = tiers[0]
  if (first === undefined) return { ...UNKNOWN_PRICING, context }
  return {
    price: first.price,
    context,
    cost(usage) {
      const input = usage.input + usage.cacheRead + usage.cacheWrite
      return costOf(usage, (tiers.findLast(({ above }) => input > above) ?? first).price)
    },
  }
}

type Listed = number | { base: number; tiers: { start: number; price: number }[] } | undefined

function tiersOf(list: Record<string, Listed>): Tier[] {
  const { input_mtok: input, output_mtok: output } = list
  if (input === undefined || output === undefined) return []
  const starts = Object.values(list).flatMap((price) =>
    typeof price === 'object' ? price.tiers.map(({ start }) => start) : [],
  )
  return [0, ...new Set(starts)]
    .sort((a, b) => a - b)
    .map((above) => {
      const plain = at(input, above)
      return {
        above,
        price: {
          input: plain,
          output: at(output, above),
          cacheRead: at(list.cache_read_mtok ?? input, above),
          cacheWrite: at(list.cache_write_mtok ?? input, above),
        },
      }
    })
}

function at(price: NonNullable<Listed>, start: number): number {
  if (typeof price === 'number') return price
  return price.tiers.findLast((tier) => tier.start <= start)?.price ?? price.base
}
