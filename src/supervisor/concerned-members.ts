import type { Applied } from '../team/apply.ts'
import type { TeamEvent } from '../team/event.ts'
import { nameKey } from '../team/name.ts'

/** After these no member has more to do than before. Each turn reports them. */
const WITHOUT_WORK = new Set<TeamEvent['type']>(['usage', 'agent.health', 'member.activity'])

/**
 * The keys of the members that may have something to do after this record, so that a message to one of a thousand teammates
 * does not ask all of them. Without events it may be anything: what was folded is unknown.
 */
export function concernedMembers({
  events,
  effects,
}: Pick<Applied, 'events' | 'effects'>): ReadonlySet<string> | 'all' {
  if (events.length === 0) return 'all'
  const keys = new Set<string>()
  for (const event of events) {
    if (event.type === 'message.delivered') keys.add(nameKey(event.member))
    else if (event.type !== 'message.sent' && !WITHOUT_WORK.has(event.type)) return 'all'
  }
  for (const { to, outcome } of effects) if (outcome === 'queued') keys.add(nameKey(to))
  return keys
}
