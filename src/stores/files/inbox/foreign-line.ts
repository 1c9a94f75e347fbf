import { isCapped, MESSAGE_BYTES, type Message, messageType, messageTypes } from '../../../team/message.ts'

/** Its id and recipient come from the place where it was found. */
export type ForeignMessage = Pick<Message, 'type' | 'from' | 'content' | 'timestamp'> & {
  readonly extras: Record<string, unknown>
}

/** A parsed line; `reason` says why it cannot be delivered. */
export type ForeignLine =
  | { readonly message: ForeignMessage; readonly reason?: undefined }
  | { readonly message?: undefined; readonly reason: string }

/**
 * Parses one line that another program wrote to an inbox file. Older keys of the source documents are accepted, and unknown
 * members stay with the message. `now` (in seconds) replaces a missing or unreadable time.
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
    ...RESERVED,
    contentKey,
    ...('from' in value ? [] : ['sender']),
    ...('timestamp' in value ? [] : ['ts']),
  ])
  const extras = Object.fromEntries(Object.entries(value).filter(([key]) => !used.has(key)))
  if (Buffer.byteLength(JSON.stringify(extras)) > MESSAGE_BYTES)
    return { reason: 'its other members are larger than 1 MB' }
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

const MAX_DEPTH = 100
const MAX_SENDER_CHARS = 64

/** Members that only deskmates sets; in a foreign line they are ignored. */
const RESERVED = [
  ...['id', 'to', 'type', 'from', 'content', 'timestamp'],
  ...['external', 'redelivered', 'returns', 'external_id', 'claimed_type', 'view_sum', '__proto__'],
]

function typeOf(type: unknown): { type: Message['type']; claimed?: string; reason?: undefined } | { reason: string } {
  if (type === undefined || type === null) return { type: 'message' }
  const known = typeof type === 'string' ? messageType(type) : undefined
  if (known === undefined) {
    const shown = (JSON.stringify(type) ?? '').slice(0, 80)
    return { reason: `its type ${shown} is unknown; known types: ${messageTypes().join(', ')}` }
  }
  // Requests, answers and facts of the runtime have effects, and a broadcast reaches every member: from another program
  // each is only text for the one mailbox it was written to.
  return isCapped(known) && known !== 'broadcast' ? { type: known } : { type: 'message', claimed: known }
}

function textOf(content: unknown): string | undefined {
  if (typeof content === 'string') return content
  return typeof content === 'object' ? JSON.stringify(content) : undefined
}

/** Not verified, so kept as given, but on one line. */
function senderOf(from: unknown): string {
  if (typeof from !== 'string' && typeof from !== 'number') return 'unknown'
  const text = [...String(from).slice(0, 2 * MAX_SENDER_CHARS)].slice(0, MAX_SENDER_CHARS).join('')
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, ' ').trim() || 'unknown'
}

/** Seconds since 1970, from seconds, milliseconds or a date, as a number or text. */
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
