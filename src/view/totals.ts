import type { Spent } from '../team/members/usage.ts'
import type { View } from './view.ts'

export interface Totals {
  readonly tokens: number
  /** Null as soon as the price of one call is unknown. */
  readonly dollars: number | null
}

/** What all agents of the session have used. */
export function totals(view: View): Totals {
  let [tokens, cost, unpriced] = [0, 0, 0]
  for (const state of view.teams.values()) {
    for (const spent of state.spent.values()) {
      tokens += tokensOf(spent)
      cost += spent.cost
      unpriced += spent.unpriced
    }
  }
  return { tokens, dollars: unpriced > 0 ? null : cost }
}

export function tokensOf({ usage: { input, cacheRead, cacheWrite, output } }: Spent): number {
  return input + cacheRead + cacheWrite + output
}
