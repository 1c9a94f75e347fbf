import type { EventOf } from '../../../team/event.ts'
import { canReceive } from '../../../team/mail.ts'
import { UNREAD_CAP } from '../../../team/message.ts'
import { nameKey } from '../../../team/name.ts'
import type { TeamState } from '../../../team/state.ts'
import { type Archive, HARVEST_BYTES, HARVEST_LINES } from './archive.ts'
import { type ForeignLine, isOwnLine, isTornOwnLine, readForeignLine } from './foreign-line.ts'
import { type Copy, judgeCopy } from './own-line.ts'
import type { Found } from './partial-lines.ts'

export type Received = EventOf<'external.received'>
export type Rejected = EventOf<'external.rejected'>

/** How long a program may take between opening a mailbox file and writing its last byte. */
const PATIENCE = 10 * 60_000

/**
 * What `archives` (oldest first) hold that `state` does not know, as facts, no more than one harvest at once. What its
 * mailbox has no room for stays where it is.
 */
export function factsOf(state: TeamState, archives: readonly Archive[], now: number): (Received | Rejected)[] {
  const events: (Received | Rejected)[] = []
  const room = new Map<string, number>()
  let bytes = 0
  for (const archive of archives) {
    const key = nameKey(archive.mailbox)
    for (const found of unknownIn(state, archive, now)) {
      const left = room.get(key) ?? roomFor(state, archive, now)
      // The fold counts an archive by how far it came, so nothing behind a line that has to wait may go first.
      if (left <= 0) break
      const event = eventOf(state, archive, found, now)
      room.set(key, left - (event.type === 'external.received' ? 1 : 0))
      events.push(event)
      bytes += Buffer.byteLength(JSON.stringify(event))
      if (events.length >= HARVEST_LINES || bytes >= HARVEST_BYTES) return events
    }
  }
  return events
}

/** Nobody is expected to write to it any more. */
export function isPast({ bornAt }: Archive, now: number): boolean {
  return now - bornAt > PATIENCE
}

/** Lines that are neither in the journal nor ours. */
export function unknownIn(state: TeamState, archive: Archive, now: number): Found[] {
  return [...archive.pending.filter((found) => !isKnown(state, archive, found)), ...abandoned(state, archive, now)]
}

/** Brought in before, or one of our own lines that show unread mail. */
export function isKnown(state: TeamState, archive: Archive, { offset, end, value, bytes }: Found): boolean {
  if (end <= (state.archives.get(archive.id) ?? 0)) return true
  // The fold forgets how far very old archives came, but not so soon what came from them.
  if (state.messages.get(`${archive.id}:${offset}`) !== undefined) return true
  return value === undefined ? isTorn(state, archive, bytes) : isOwnLine(state, archive.mailbox, value)
}

/**
 * Beginnings of lines whose rest never came. Lines behind them may be in the journal already, which counts an archive by
 * how far it came: so these end behind all the rest, one byte each, which no message is short enough to be mistaken for.
 */
function abandoned(state: TeamState, archive: Archive, now: number): Found[] {
  if (!isPast(archive, now) || !archive.isFinished()) return []
  const known = state.archives.get(archive.id) ?? 0
  return archive
    .open()
    .filter(({ bytes }) => !isTorn(state, archive, bytes))
    .map((found, i) => ({ ...found, end: archive.size() + i + 1 }))
    .filter(({ end }) => end > known)
}

function isTorn(state: TeamState, archive: Archive, bytes: Buffer): boolean {
  return isTornOwnLine(state, archive.mailbox, bytes.toString('utf8', 0, 1000))
}

/** Lines for somebody who is not there wait a while in case they come (back); then the fold says that they bounced. */
export function roomFor(state: TeamState, archive: Archive, now: number): number {
  if (!canReceive(state, archive.mailbox)) return isPast(archive, now) ? Number.POSITIVE_INFINITY : 0
  return UNREAD_CAP - (state.mailboxes.get(nameKey(archive.mailbox))?.size ?? 0)
}

function eventOf(
  state: TeamState,
  archive: Archive,
  { offset, end, bytes, value }: Found,
  now: number,
): Received | Rejected {
  const place = { archive: archive.id, offset, end }
  const copy = judgeCopy(bytes.toString())
  const { message, reason } = copy ? readCopy(state, archive, copy, value, now) : readLine(value, now)
  if (!message) {
    const line = bytes.toString('utf8', 0, 8000).slice(0, 2000)
    return { type: 'external.rejected', ...place, to: archive.mailbox, reason: reason ?? '', line }
  }
  const { type, from, content, timestamp, extras } = message
  const body = { type, from, to: archive.mailbox, content, timestamp }
  if (!copy)
    return { type: 'external.received', ...place, message: { id: `${archive.id}:${offset}`, ...body, ...extras } }
  const { external_id: id, ...others } = extras
  return { type: 'external.received', ...place, message: { id: String(id), ...body, ...others } }
}

function readLine(value: unknown, now: number): ForeignLine {
  return value === undefined ? { reason: 'it is not JSON' } : readForeignLine(value, now / 1000)
}

/**
 * A line of ours that shows no message of the journal. Changed, it says nothing. As we wrote it, it holds a message that
 * the journal has lost: it comes in as external, under its own id, so that a reader whose transcript has it is not told
 * it again, however many copies there are.
 */
function readCopy(state: TeamState, { mailbox }: Archive, copy: Copy, value: unknown, now: number): ForeignLine {
  const { id } = (value ?? {}) as { id?: unknown }
  if (copy === 'damaged' || typeof id !== 'string' || isKnownId(state, mailbox, id)) return { reason: CHANGED_COPY }
  return isOurId(id) ? readLine(value, now) : { reason: UNKNOWN_COPY }
}

const CHANGED_COPY =
  'it is a changed or damaged copy of a line that deskmates wrote to show a message; unread messages are shown again'
const UNKNOWN_COPY =
  'deskmates wrote it to show a message that the journal does not have any more; if it is still wanted, send it again'

/** An id that this program made, which no other program can know before: a ulid, or the place of a line in an archive. */
function isOurId(id: string): boolean {
  return /^[0-7][0-9A-HJKMNP-TV-Z]{25}(?:\.[\w-]+:\d+)?$/.test(id)
}

function isKnownId(state: TeamState, mailbox: string, id: string): boolean {
  return state.messages.get(id) !== undefined || state.mailboxes.get(nameKey(mailbox))?.get(id) !== undefined
}
