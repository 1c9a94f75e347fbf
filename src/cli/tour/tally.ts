import { type TeamState, unreadOf } from '../../team/state.ts'
import { type Chronicle, eventsOf } from './chronicle.ts'

export interface Tally {
  readonly tasks: {
    readonly total: number
    readonly completed: number
    readonly lost: number
    readonly doubled: number
  }
  readonly messages: {
    readonly sent: number
    readonly external: number
    readonly delivered: number
    readonly unread: number
    readonly lost: number
    readonly doubled: number
  }
  /** `doubled`: taken while somebody held it. */
  readonly claims: { readonly total: number; readonly doubled: number }
  readonly leasesEnded: number
}

/** Counts what the journal says, and nothing else. */
export function tallyOf({ all, state }: Pick<Chronicle, 'all' | 'state'>): Tally {
  const completions = countBy(eventsOf({ all }, 'task.completed').map(({ id }) => id))
  const total = eventsOf({ all }, 'task.created').length
  const external = eventsOf({ all }, 'external.received').length

  const outcomes = (outcome: string) =>
    all.flatMap(({ effects }) =>
      effects.filter((effect) => effect.outcome === outcome).map(({ id, to }) => `${id} ${to}`),
    )
  const queued = new Set(outcomes('queued'))
  const delivered = countBy(outcomes('delivered'))
  const settled = new Set([...delivered.keys(), ...outcomes('bounced'), ...unread(state)])

  return {
    tasks: { total, completed: completions.size, lost: total - completions.size, doubled: repeated(completions) },
    messages: {
      sent: eventsOf({ all }, 'message.sent').length + external,
      external,
      delivered: delivered.size,
      unread: unread(state).length,
      lost: [...queued].filter((one) => !settled.has(one)).length,
      doubled: repeated(delivered),
    },
    claims: claimsIn(all),
    leasesEnded: eventsOf({ all }, 'task.released').filter(({ end }) => end === 'lease ended').length,
  }
}

/** Worked out from the bare events, so that a mistake in the board's own books would be seen. */
function claimsIn(all: Chronicle['all']): Tally['claims'] {
  const held = new Set<string>()
  let [total, doubled] = [0, 0]
  for (const event of all.flatMap(({ events }) => events)) {
    if (event.type === 'task.claimed') {
      total++
      if (held.has(event.id)) doubled++
      held.add(event.id)
    } else if (event.type === 'task.released' || event.type === 'task.completed' || event.type === 'task.failed') {
      held.delete(event.id)
    }
  }
  return { total, doubled }
}

function unread(state: TeamState): string[] {
  const names = [...[...state.members.values()].map(({ name }) => name), 'user']
  return names.flatMap((name) => unreadOf(state, name).map(({ message }) => `${message.id} ${name}`))
}

function countBy(items: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1)
  return counts
}

function repeated(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].filter((count) => count > 1).length
}
