import { contentHash } from '../data/hash.ts'
import type { Table } from '../data/table.ts'
import type { EventOf, Place } from '../event.ts'
import { isOneShot, isPresent, type Member } from '../members/member.ts'
import type { Effect } from '../message.ts'
import { isCapped, isControl, type Message, UNREAD_CAP } from '../message.ts'
import { nameKey } from '../name.ts'
import { mailboxAt, mailboxOf, memberNamed, roster, type TeamState, type Unread, unreadOf } from '../state.ts'

/** Puts a message into the mailboxes of its recipients, or bounces it. A repeated id of an external line is ignored. */
export function sendMessage(
  state: TeamState,
  message: Message,
  place: Place,
  effects: Effect[],
  external = false,
): void {
  // Only a line from outside can come a second time: the log accepts a record once, and its messages with it.
  if (external && state.messages.get(message.id) !== undefined) {
    effects.push({
      id: message.id,
      to: message.to,
      outcome: 'ignored',
      reason: 'a message with this id is already there',
    })
    return
  }
  state.messages.put(message.id, contentHash(message))
  // Names are looked up once for each reader: every process does this for the mail of all members.
  const key = nameKey(message.to)
  // A line from outside was left in one mailbox and stays there: programs that broadcast leave one in each.
  if (!external && (message.type === 'broadcast' || key === 'all')) {
    for (const member of audience(state, message)) hand(state, message, nameKey(member.name), member, place, effects)
  } else hand(state, message, key, state.members.get(key), place, effects, external)
}

/** Puts it into one mailbox, or says why it bounces there. */
function hand(
  state: TeamState,
  message: Message,
  key: string,
  member: Member | undefined,
  place: Place,
  effects: Effect[],
  external = false,
): void {
  const { id } = message
  const to = member?.name ?? message.to
  const mailbox = state.mailboxes.get(key)
  const isFull = mailbox !== undefined && mailbox.size >= UNREAD_CAP && (external || isCapped(message.type))
  const reason = state.team.get()?.deleted ? 'the team was deleted' : whyBounced(state, to, key, member, isFull, place)
  if (reason !== undefined) effects.push({ id, to, outcome: 'bounced', reason })
  else if (mailbox?.has(id)) effects.push({ id, to, outcome: 'ignored', reason: 'another message has this id' })
  else {
    put(state, mailbox ?? mailboxAt(state, key), message, external)
    effects.push({ id, to, outcome: 'queued' })
  }
}

export function takeMail(state: TeamState, event: EventOf<'mail.taken'>, place: Place, effects: Effect[]): void {
  const mailbox = mailboxOf(state, event.member)
  for (const id of event.ids) {
    const unread = mailbox.get(id)
    // Another reader acknowledged it first.
    if (!unread) effects.push({ id, to: event.member, outcome: 'ignored', reason: 'already read' })
    else {
      const taken = { take: place.id, taker: event.taker, until: event.until }
      mailbox.set(id, { ...unread, taken, redelivered: unread.taken !== null })
    }
  }
}

/** Acknowledged: the reader has it. Counts only for the reader it is assigned to now. */
export function deliver(state: TeamState, event: EventOf<'message.delivered'>, place: Place, effects: Effect[]): void {
  const mailbox = mailboxOf(state, event.member)
  const stale = isFenced(state, place)
  for (const id of event.ids) {
    const unread = mailbox.get(id)
    const mine = !stale && (unread?.taken?.take ?? null) === event.take
    if (unread && mine) {
      mailbox.delete(id)
      if (event.turn !== undefined) state.transcripts.set(nameKey(event.member), event.turn)
      effects.push({ id, to: event.member, outcome: 'delivered' })
    } else
      effects.push({
        id,
        to: event.member,
        outcome: 'ignored',
        reason: unread ? 'assigned to another reader' : 'already read',
      })
  }
}

/** Turns of a transcript are lost: the messages in them are unread again, after the mail that is unread already. */
export function returnToUnread(state: TeamState, event: EventOf<'transcript.repaired'>, effects: Effect[]): void {
  const { member: name } = event
  const key = nameKey(name)
  state.transcripts.delete(key)
  const mailbox = mailboxAt(state, key)
  for (const { message, external } of event.returned) {
    const { id } = message
    const isRead = canReceive(state, name) && !mailbox.has(id)
    if (isRead) put(state, mailbox, message, external)
    effects.push({
      id,
      to: name,
      ...(isRead ? { outcome: 'queued' } : { outcome: 'ignored', reason: 'unread already' }),
    })
  }
}

/** A line from a mailbox file. Its place in the archive says whether another process ingested it before. */
export function receiveExternal(
  state: TeamState,
  event: EventOf<'external.received'> | EventOf<'external.rejected'>,
  place: Place,
  effects: Effect[],
): void {
  const known = state.archives.get(event.archive) ?? 0
  const id = event.type === 'external.received' ? event.message.id : `${event.archive}:${event.offset}`
  if (event.end <= known) {
    const to = event.type === 'external.received' ? event.message.to : event.to
    effects.push({ id, to, outcome: 'ignored', reason: 'already brought in' })
    return
  }
  state.archives.set(event.archive, event.end)
  forgetOldArchives(state)
  if (event.type === 'external.received') sendMessage(state, event.message, place, effects, true)
  else effects.push({ id, to: event.to, outcome: 'bounced', reason: event.reason })
}

/** A member stopped: its unread messages go back, and each sender gets a message about it. */
export function returnMail(state: TeamState, name: string, place: Place, effects: Effect[]): void {
  const mailbox = mailboxOf(state, name)
  for (const { message, external } of unreadOf(state, name)) {
    mailbox.delete(message.id)
    effects.push({ id: message.id, to: name, outcome: 'bounced', reason: 'stopped before reading it' })
    if (external || 'returns' in message || !canReceive(state, message.from)) continue
    const notice: Message = {
      id: `${message.id}.returned.${nameKey(name)}`,
      type: 'error',
      from: name,
      to: message.from,
      content: `${name} stopped before reading your message, which comes back to you:\n${message.content}`,
      timestamp: place.at,
      returns: message.id,
    }
    state.messages.put(notice.id, contentHash(notice))
    put(state, mailboxOf(state, message.from), notice)
  }
}

/** A new generation does not answer requests to its predecessor. The lead keeps its requests through all generations. */
export function dropStaleControl(state: TeamState, name: string, effects: Effect[]): void {
  if (nameKey(name) === 'lead') return
  const mailbox = mailboxOf(state, name)
  for (const { message } of unreadOf(state, name)) {
    if (!isControl(message.type)) continue
    mailbox.delete(message.id)
    effects.push({ id: message.id, to: name, outcome: 'bounced', reason: 'meant for an earlier generation' })
  }
}

/** Does this record come from a generation that was replaced? */
export function isFenced(state: TeamState, { by }: Pick<Place, 'by'>): boolean {
  if (by.generation === undefined) return false
  const member = memberNamed(state, by.name)
  if (!member || member.generation !== by.generation || (by.epoch !== undefined && by.epoch !== member.epoch))
    return true
  return member.status === 'stopped' || member.status === 'lost'
}

export function canReceive(state: TeamState, name: string): boolean {
  if (nameKey(name) === 'user') return true
  const member = memberNamed(state, name)
  return member !== undefined && isPresent(member) && !isOneShot(member)
}

function audience(state: TeamState, message: Message): readonly Member[] {
  const sender = nameKey(message.from)
  return roster(state).filter((member) => isPresent(member) && nameKey(member.name) !== sender)
}

function whyBounced(
  state: TeamState,
  to: string,
  key: string,
  member: Member | undefined,
  isFull: boolean,
  place: Place,
): string | undefined {
  if (isFenced(state, place)) return `written by an older generation of ${place.by.name}`
  if (member && isOneShot(member)) return `${to} does one task and reads no mail`
  const isThere = key === 'user' || (member !== undefined && isPresent(member))
  if (!isThere) return member ? `${to} has stopped` : `no member is called ${to}`
  return isFull ? `${to} has ${UNREAD_CAP} unread messages` : undefined
}

function put(state: TeamState, mailbox: Table<string, Unread>, message: Message, external = false): void {
  const { task, request, place } = state.counters.get()
  state.counters.set({ task, request, place: place + 1 })
  mailbox.set(message.id, { message, place, external, taken: null, redelivered: false })
}

/** Archives are gone from disk after minutes; their names begin with the time, so the smallest is the oldest. */
function forgetOldArchives(state: TeamState): void {
  if (state.archives.size <= 1000) return
  const oldest = [...state.archives.keys()].sort()[0]
  if (oldest !== undefined) state.archives.delete(oldest)
}
