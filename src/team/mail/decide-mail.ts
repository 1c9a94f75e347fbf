import type { Circumstances, Command, Decision, MessageDraft } from '../command.ts'
import type { Author, TeamEvent } from '../event.ts'
import { isControl, isDerived, isRuntimeFact, isTooLong, type Message, messageType } from '../message.ts'
import { nameKey } from '../name.ts'
import { type Refusal, refuse } from '../refusal.ts'
import { isLead, leadOnly, mayAct, presentMembers, unknownMember } from '../rights.ts'
import { memberNamed, type TeamState, type Unread, unreadOf } from '../state.ts'
import { canReceive } from './mail.ts'

/** After so long another reader gets the messages that a process took which cannot be checked. */
const TAKE_SECONDS = 30

/**
 * Assigns unread mail to one reader. It is read only when that reader acknowledges; until then no other reader gets it,
 * unless the reader's process is gone (or, where that cannot be known, its lease is over).
 */
export function decideTake(
  state: TeamState,
  command: Extract<Command, { type: 'mail.take' }>,
  about: Circumstances,
): Decision {
  const member = memberNamed(state, command.member)
  if (!canReceive(state, command.member)) return unknownMember(state, command.member)
  if (nameKey(about.by.name) !== nameKey(command.member) && !isLead(about.by.name))
    return refuse('not_allowed', { problem: 'foreign_mail', member: command.member, by: about.by.name })
  if (member?.runtime && !about.dead.has(member.runtime))
    return refuse('served', { member: member.name, runtime: member.runtime })
  const unread = unreadOf(state, command.member)
  const free = unread.filter((item) => isFree(item, about)).slice(0, Math.max(1, command.limit ?? 1000))
  if (free.length === 0) {
    const busy =
      unread.length === 0 ? 'No unread mail.' : `${unread.length} unread, being read by ${unread[0]?.taken?.taker}.`
    return { events: [], note: busy }
  }
  const ids = free.map((item) => item.message.id)
  const name = member?.name ?? 'user'
  return {
    events: [
      {
        type: 'mail.taken',
        member: name,
        ids,
        taker: command.taker,
        until: about.now + (command.lease ?? TAKE_SECONDS),
      },
    ],
  }
}

/** Only the lead or the user repairs. A stopped member has no mailbox to return mail to. */
export function decideRepair(
  state: TeamState,
  command: Extract<Command, { type: 'transcript.repair' }>,
  { id, by, now }: Circumstances,
): Decision {
  const { archived, lost, returned, texts } = command
  const member = memberNamed(state, command.member)
  if (!member) return unknownMember(state, command.member)
  if (!isLead(by.name)) return leadOnly('repair_transcript', by)
  const { name } = member
  const isThere = canReceive(state, name)
  const notice = (to: string, content: string): TeamEvent => ({
    type: 'message.sent',
    message: { id: `${id}.repair.${nameKey(to)}`, type: 'error', from: 'user', to, content, timestamp: now },
  })
  return {
    events: [
      ...(texts && isThere ? [notice(name, texts.agent)] : []),
      { type: 'transcript.repaired', member: name, archived, lost: [...lost], returned: isThere ? [...returned] : [] },
      ...(texts && nameKey(name) !== 'lead' ? [notice('lead', texts.lead)] : []),
    ],
  }
}

function isFree({ taken }: Unread, { dead: gone, unknown, now, self }: Circumstances): boolean {
  if (taken === null || gone.has(taken.taker)) return true
  if (taken.taker === self) return true
  return unknown.has(taken.taker) && taken.until <= now
}

/** Refused before anything is written; what the log makes of it at its place may still be a bounce. */
export function checkMessage(state: TeamState, draft: MessageDraft, by: Author): Refusal | undefined {
  const absent = mayAct(state, by)
  if (absent) return absent
  const type = messageType(draft.type ?? 'message')
  if (!type) return refuse('invalid', { problem: 'message_type', type: String(draft.type) })
  if (isDerived(type)) return refuse('invalid', { problem: 'derived_message', type })
  if (isTooLong(draft.content)) return refuse('too_large', { text: 'message' })
  if (isControl(type)) return refuse('invalid', { problem: 'control_message', type })
  if (isRuntimeFact(type) && by.generation === undefined)
    return refuse('not_allowed', { problem: 'runtime_message', type })
  if (draft.content === '') return refuse('invalid', { problem: 'empty_message' })
  if (type === 'broadcast' || nameKey(draft.to) === 'all') return undefined
  const member = memberNamed(state, draft.to)
  if (member?.status === 'stopped')
    return refuse('member_stopped', {
      problem: 'recipient',
      member: member.name,
      members: presentMembers(state),
    })
  if (!canReceive(state, draft.to)) return unknownMember(state, draft.to)
  if (nameKey(draft.to) === nameKey(by.name)) return refuse('invalid', { problem: 'own_message', member: by.name })
  return undefined
}

/** The line that goes into the journal. The sender's own attachments never overwrite a member of the message. */
export function messageFrom(draft: MessageDraft, from: string, about: Pick<Circumstances, 'id' | 'now'>): Message {
  const everyone = nameKey(draft.to) === 'all' || draft.type === 'broadcast'
  const type = everyone && (draft.type ?? 'message') === 'message' ? 'broadcast' : (draft.type ?? 'message')
  return {
    ...draft.extra,
    id: about.id,
    type,
    from,
    to: everyone ? 'all' : draft.to,
    content: draft.content,
    timestamp: about.now,
  }
}
