import { apply, type TeamRecord } from '../../team/apply.ts'
import { type EventOf, readEvent } from '../../team/event.ts'
import { nameKey } from '../../team/name.ts'
import { emptyState, type Unread, unreadOf } from '../../team/state.ts'
import { advance, START } from '../log/cursor.ts'
import type { Log } from '../log/store.ts'

/** A message that a member has read, whole, and the record of its transcript that delivered it. */
export interface DeliveredMail {
  readonly unread: Unread
  readonly turn: string | undefined
}

/**
 * Mail that this member has read, by id and in the order it was read: the state keeps bodies of unread mail only, the
 * journal keeps all of them. Folds the journal from its beginning and keeps only what is wanted.
 */
export async function deliveredMail(
  log: Log,
  member: string,
  isWanted: (id: string, turn: string | undefined) => boolean,
): Promise<ReadonlyMap<string, DeliveredMail>> {
  const found = new Map<string, DeliveredMail>()
  const state = emptyState()
  const key = nameKey(member)
  let cursor = START
  for (let batch = await log.read(cursor); batch.length > 0; batch = await log.read(cursor)) {
    for (const recorded of batch) {
      const reads = deliveriesIn(recorded.record).filter((event) => nameKey(event.member) === key)
      const before = reads.flatMap(({ ids, turn }) =>
        ids.flatMap((id) => {
          const unread = isWanted(id, turn) ? state.mailboxes.get(key)?.get(id) : undefined
          return unread ? [{ unread, turn }] : []
        }),
      )
      apply(state, recorded.seq, recorded.record)
      for (const mail of before) {
        const { id } = mail.unread.message
        if (!state.mailboxes.get(key)?.has(id)) found.set(id, mail)
      }
      cursor = advance(cursor, recorded)
    }
  }
  // It was returned to its reader since, or its delivery is not acknowledged yet.
  for (const { message } of unreadOf(state, member)) found.delete(message.id)
  return found
}

function deliveriesIn({ events }: TeamRecord): EventOf<'message.delivered'>[] {
  if (!Array.isArray(events)) return []
  return events.flatMap((value) => {
    const event = typeof value === 'object' && value && 'type' in value && value.type === 'message.delivered'
    const read = event ? readEvent(value) : undefined
    return typeof read === 'object' && read.type === 'message.delivered' ? [read] : []
  })
}
