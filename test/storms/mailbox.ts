import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../../src/journal/log/store.ts'
import { openTeam } from '../../src/journal/team-handle.ts'
import { applyEvent } from '../../src/team/apply.ts'
import type { Effect } from '../../src/team/message.ts'
import { emptyState, unreadOf } from '../../src/team/state.ts'
import { TEAM } from './place.ts'
import type { RawRecord } from './raw-journal.ts'

/** How often what is left is asked for, while leases of the dead run out. */
const LOOKS = 600

/** Reads what is left as one more reader, whose predecessors are all dead; returns the ids it acknowledged. */
export async function drain(store: Store, member: string): Promise<string[]> {
  const team = await openTeam(store, TEAM)
  const ids: string[] = []
  for (let looks = 0; looks < LOOKS; looks++) {
    const answer = await team.run({ type: 'mail.take', member, taker: store.presence.self })
    const { take, messages } = 'mail' in answer && answer.mail ? answer.mail : { take: '', messages: [] }
    if (messages.length === 0) {
      if (unreadOf(team.state, member).length === 0) break
      await sleep(50)
      continue
    }
    const effects = await team.acknowledge(
      member,
      messages.map((message) => message.id),
      take,
    )
    ids.push(...effects.filter(({ outcome }) => outcome === 'delivered').map(({ id }) => id))
  }
  await team.close()
  return ids
}

/** How often each message was delivered, by folding what counted. */
export function deliveries(records: readonly RawRecord[]): Map<string, number> {
  const state = emptyState()
  const times = new Map<string, number>()
  for (const { id, at, by, events, accepted } of records) {
    if (!accepted) continue
    const effects: Effect[] = []
    for (const event of events) applyEvent(state, event, { seq: 0, id, at, by }, effects)
    for (const effect of effects) {
      if (effect.outcome === 'delivered') times.set(effect.id, (times.get(effect.id) ?? 0) + 1)
    }
  }
  return times
}

export function repeats(ids: readonly string[]): string[] {
  const seen = new Set<string>()
  return ids.filter((id) => seen.size === seen.add(id).size)
}
