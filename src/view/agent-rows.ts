import { nameKey } from '../team/name.ts'
import { type MemberRow, memberRows, tokensOf } from './member-rows.ts'
import type { View } from './view.ts'

/** Every agent of the session that has not stopped: the lead first, then in the order they joined. */
export function agentRows(view: View, now: number): MemberRow[] {
  return [...view.teams.keys()].flatMap((team, i) =>
    memberRows(view, team, now).filter(({ kind, name }) => kind === 'agent' && (i === 0 || nameKey(name) !== 'lead')),
  )
}

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
