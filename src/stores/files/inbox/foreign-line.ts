import { contentHash } from '../../../team/hash.ts'
import { isCapped, MESSAGE_BYTES, type Message, messageType, messageTypes } from '../../../team/message.ts'
import { nameKey } from '../../../team/name.ts'
import type { TeamState } from '../../../team/state.ts'

/** What a message says of itself; its id and recipient come from where it was found. */
export type ForeignMessage = Pick<Message, 'type' | 'from' | 'content' | 'timestamp'> & {
  readonly extras: Record<string, unknown>
}

/** A foreign line in our words; `reason` where it says nothing we could deliver. */
export type ForeignLine =
  | { readonly message: ForeignMessage; readonly reason?: undefined }
  | { readonly message?: undefined; readonly reason: string }

/**
 * Reads one line that some program left in a mailbox file. The source documents' older keys are understood and
 * whatever else was said stays with the message. `now` (in seconds) stands in for a time that is missing or unreadable.
 */
export function readForeignLine(value: unknown, now: number): ForeignLine {
  if (!isObject(value)) return { reason: 'it is not a JSON object' }
  if (isDeep(value, MAX_DEPTH)) return { reason: `it is nested more than ${MAX_DEPTH} levels deep` }

  const type = typeOf(value.type)
  if (type.reason !== undefined) return { reason: type.reason }
  const contentKey = ['content', 'text', 'message'].find((key) => value[key] !== undefined && value[key] !== null)
  if (contentKey === undefined) return { reason: 'it has no content' }
  const content = textOf(value[contentKey])
  if (content === undefined) return { reason: 'its content is neither text nor an object' }
  if (Buffer.byteLength(content) > MESSAGE_BYTES) return { reason: 'its content is larger than 1 MB' }

  const used = new Set([
    ...OURS,
    contentKey,
    ...('from' in value ? [] : ['sender']),
    ...('timestamp' in value ? [] : ['ts']),
  ])
  const extras = Object.fromEntries(Object.entries(value).filter(([key]) => !used.has(key)))
  if (Buffer.byteLength(JSON.stringify(extras)) > MESSAGE_BYTES)
    return { reason: 'what it says beside its content is larger than 1 MB' }
  return {
    message: {
      type: type.type,
      from: senderOf(value.from ?? value.sender),
      content,
      timestamp: timeOf(value.timestamp ?? value.ts) ?? now,
      extras: {
        ...extras,
        ...(typeof value.id === 'string' && { external_id: value.id.slice(0, 256) }),
        ...(type.claimed !== undefined && { claimed_type: type.claimed }),
      },
    },
  }
}

/**
 * Did we write this line ourselves to show unread mail? Our lines are in the journal before they are in a file, so a
 * state folded to its end knows them. `mailbox` tells about mail so old that its id was forgotten.
 */
export function isOwnLine(state: TeamState, mailbox: string, value: unknown): boolean {
  if (!isObject(value)) return false
  const { id, type, from, content } = value
  if (typeof id !== 'string' || typeof type !== 'string' || typeof from !== 'string' || typeof content !== 'string')
    return false
  const hash = contentHash({ type: type as Message['type'], from, content })
  const known = state.messages.get(id)
  if (known !== undefined) return known === hash
  const unread = state.mailboxes.get(nameKey(mailbox))?.get(id)
  if (unread) return contentHash(unread.message) === hash
  // Mail that came back to its sender was never sent under its own id: the fold made it.
  const { returns } = value
  const original = typeof returns === 'string' && id === `${returns}.returned.${nameKey(from)}`
  return original && type === 'error' && state.messages.get(returns) !== undefined
}

/** A line of ours that was cut off in the middle: its message is in the journal, so nothing is lost with it. */
export function isTornOwnLine(state: TeamState, mailbox: string, text: string): boolean {
  const id = /^\{"id":"([^"\\]+)",/.exec(text)?.[1]
  if (id === undefined) return false
  return state.messages.get(id) !== undefined || state.mailboxes.get(nameKey(mailbox))?.get(id) !== undefined
}

const MAX_DEPTH = 100
const MAX_SENDER = 64

/** Set by us alone; a line that brings them along does not get to say them. */
const OURS = [
  ...['id', 'to', 'type', 'from', 'content', 'timestamp'],
  ...['external', 'redelivered', 'returns', 'external_id', 'claimed_type', 'view_sum', '__proto__'],
]

function typeOf(type: unknown): { type: Message['type']; claimed?: string; reason?: undefined } | { reason: string } {
  if (type === undefined || type === null) return { type: 'message' }
  const known = typeof type === 'string' ? messageType(type) : undefined
  if (known === undefined) {
    const shown = (JSON.stringify(type) ?? '').slice(0, 80)
    return { reason: `its type ${shown} is unknown; known are ${messageTypes().join(', ')}` }
  }
  // Requests, answers and the runtime's own facts carry weight, a broadcast goes to everybody: from outside each is
  // only text for the one mailbox it was put into.
  return isCapped(known) && known !== 'broadcast' ? { type: known } : { type: 'message', claimed: known }
}

function textOf(content: unknown): string | undefined {
  if (typeof content === 'string') return content
  return typeof content === 'object' ? JSON.stringify(content) : undefined
}

/** Unverified, so kept as given; but it is shown in one line, wherever it is shown. */
function senderOf(from: unknown): string {
  if (typeof from !== 'string' && typeof from !== 'number') return 'unknown'
  const text = [...String(from).slice(0, 2 * MAX_SENDER)].slice(0, MAX_SENDER).join('')
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, ' ').trim() || 'unknown'
}

/** Seconds since 1970 from seconds, milliseconds, or a text that says either or is a date. */
function timeOf(time: unknown): number | undefined {
  const number = typeof time === 'string' && time.trim() !== '' ? Number(time) : time
  if (typeof number === 'number' && Number.isFinite(number)) return number > 1e11 ? number / 1000 : number
  const parsed = typeof time === 'string' ? Date.parse(time) : Number.NaN
  return Number.isNaN(parsed) ? undefined : parsed / 1000
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isDeep(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeep(inner, levels - 1))
}
