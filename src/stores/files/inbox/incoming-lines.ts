import type { EventOf } from '../../../team/event.ts'
import { canReceive } from '../../../team/mail/mail.ts'
import { UNREAD_CAP } from '../../../team/message.ts'
import { nameKey } from '../../../team/name.ts'
import type { TeamState } from '../../../team/state.ts'
import { type Archive, MAX_INCOMING_BYTES, MAX_INCOMING_LINES } from './archive.ts'
import { type ForeignLine, readForeignLine } from './foreign-line.ts'
import { checkSum, isOwnLine, isTornOwnLine, type SumCheck } from './own-line.ts'
import type { Found } from './partial-lines.ts'

export type Received = EventOf<'external.received'>
export type Rejected = EventOf<'external.rejected'>

/** How long a program may take between opening an inbox file and writing its last byte. */
const MAX_WRITE_MS = 10 * 60_000

/**
 * The lines of `archives` (oldest first) that `state` does not know, as facts, up to one batch. A line for which its mailbox
 * has no free slot stays in the archive.
 */
export function factsOf(state: TeamState, archives: readonly Archive[], now: number): (Received | Rejected)[] {
  const events: (Received | Rejected)[] = []
  const slots = new Map<string, number>()
  let bytes = 0
  for (const archive of archives) {
    const key = nameKey(archive.mailbox)
    for (const found of unknownIn(state, archive, now)) {
      const left = slots.get(key) ?? freeSlots(state, archive, now)
      // The fold knows only how far an archive was read, so no line may overtake one that has to wait.
      if (left <= 0) break
      const event = eventOf(state, archive, found, now)
      slots.set(key, left - (event.type === 'external.received' ? 1 : 0))
      events.push(event)
      bytes += Buffer.byteLength(JSON.stringify(event))
      if (events.length >= MAX_INCOMING_LINES || bytes >= MAX_INCOMING_BYTES) return events
    }
  }
  return events
}

/** Whether no program can be writing to it any more. */
export function isPast({ archivedAt }: Archive, now: number): boolean {
  return now - archivedAt > MAX_WRITE_MS
}

/** Lines that are not in the journal and were not written by us. */
export function unknownIn(state: TeamState, archive: Archive, now: number): Found[] {
  return [...archive.pending.filter((found) => !isKnown(state, archive, found)), ...abandoned(state, archive, now)]
}

/** Already in the journal, or a line that we wrote to show unread mail. */
export function isKnown(state: TeamState, archive: Archive, { offset, end, value, bytes }: Found): boolean {
  if (end <= (state.archives.get(archive.id) ?? 0)) return true
  // The fold forgets how far very old archives were read before it forgets their messages.
  if (state.messages.get(`${archive.id}:${offset}`) !== undefined) return true
  return value === undefined ? isTorn(state, archive, bytes) : isOwnLine(state, archive.mailbox, value)
}

/**
 * Beginnings of lines whose rest never came. Lines behind them may already be in the journal, which records only how far an
 * archive was read. So these get ends behind all others, one byte each: no message is that short.
 */
function abandoned(state: TeamState, archive: Archive, now: number): Found[] {
  if (!isPast(archive, now) || !archive.isFinished()) return []
  const known = state.archives.get(archive.id) ?? 0
  return archive
    .unfinished()
    .filter(({ bytes }) => !isTorn(state, archive, bytes))
    .map((found, i) => ({ ...found, end: archive.size() + i + 1 }))
    .filter(({ end }) => end > known)
}

function isTorn(state: TeamState, archive: Archive, bytes: Buffer): boolean {
  return isTornOwnLine(state, archive.mailbox, bytes.toString('utf8', 0, 1000))
}

/** Lines for a member who is not in the team wait in case the member joins; after that the fold returns them. */
export function freeSlots(state: TeamState, archive: Archive, now: number): number {
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
  const copy = checkSum(bytes.toString())
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
 * A line of ours that shows no message of the journal. A changed line is rejected. An exact one holds a message that the
 * journal has lost: it comes in as external under its own id, so a reader whose transcript has it does not get it again,
 * however many copies there are.
 */
function readCopy(state: TeamState, { mailbox }: Archive, copy: SumCheck, value: unknown, now: number): ForeignLine {
  const { id } = (value ?? {}) as { id?: unknown }
  if (copy === 'damaged' || typeof id !== 'string' || isKnownId(state, mailbox, id)) return { reason: CHANGED_COPY }
  return isOurId(id) ? readLine(value, now) : { reason: UNKNOWN_COPY }
}

const CHANGED_COPY =
  'it is a changed or damaged copy of a line that deskmates wrote to show a message; unread messages are shown again'
const UNKNOWN_COPY =
  'deskmates wrote it to show a message that the journal does not have any more; if it is still wanted, send it again'

/** An id that only deskmates makes: a ulid, or the place of a line in an archive. */
function isOurId(id: string): boolean {
  return /^[0-7][0-9A-HJKMNP-TV-Z]{25}(?:\.[\w-]+:\d+)?$/.test(id)
}

function isKnownId(state: TeamState, mailbox: string, id: string): boolean {
  return state.messages.get(id) !== undefined || state.mailboxes.get(nameKey(mailbox))?.get(id) !== undefined
}
