import type { TeamHandle } from '../../journal/team-handle.ts'
import { type MessageView, messageView } from '../../team/answers/view.ts'
import type { Author } from '../../team/event.ts'
import { isRefusal, type Refusal } from '../../team/refusal.ts'
import { unreadOf } from '../../team/state.ts'
import { LEASE_SECONDS } from './leases.ts'

/** Of the contents of messages in one result; a longer message comes alone. */
const MAX_MAIL_BYTES = 100_000
const MAX_MESSAGES = 50

export interface Mail {
  readonly messages: readonly MessageView[]
  /** Unread messages that are not in this result. */
  readonly more: number
}

/**
 * The next unread messages. They are assigned to this process, so that no other reader gets them, and stay unread until the
 * caller names them in a later call: if this process or the caller dies in between, they are delivered again.
 */
export async function takeMail(team: TeamHandle, by: Author, runtime: string): Promise<Mail | Refusal> {
  const waiting = unreadOf(team.state, by.name)
  if (waiting.length === 0) return { messages: [], more: 0 }
  const first = await team.loadLongTexts(waiting.slice(0, MAX_MESSAGES).map(messageView))
  const limit = howManyFit(first)
  const command = { type: 'mail.take', member: by.name, taker: runtime, lease: LEASE_SECONDS, limit } as const
  const taken = await team.run(command, { by })
  if (isRefusal(taken)) return taken
  const messages = taken.mail?.messages ?? []
  return { messages, more: unreadOf(team.state, by.name).length - messages.length }
}

/** The caller has these messages: only now they count as delivered. Returns those that were unread until now. */
export async function confirmMail(team: TeamHandle, by: Author, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const named = new Set(ids)
  const byTake = new Map<string | null, string[]>()
  for (const { message, taken } of unreadOf(team.state, by.name)) {
    if (!named.has(message.id)) continue
    const take = taken?.take ?? null
    byTake.set(take, [...(byTake.get(take) ?? []), message.id])
  }
  const confirmed: string[] = []
  for (const [take, each] of byTake) {
    const effects = await team.acknowledge(by.name, each, take, { by })
    confirmed.push(...effects.flatMap(({ id, outcome }) => (outcome === 'delivered' ? [id] : [])))
  }
  return confirmed
}

function howManyFit(messages: readonly MessageView[]): number {
  let bytes = 0
  const count = messages.findIndex(({ content }) => {
    bytes += Buffer.byteLength(content)
    return bytes > MAX_MAIL_BYTES
  })
  return count === -1 ? messages.length : Math.max(1, count)
}
