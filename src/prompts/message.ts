import type { Member } from '../team/members/member.ts'
import type { Message } from '../team/message.ts'

/** A message of the user stands alone; every other sender is named, and a line from a mailbox file is marked. */
export function messageText(
  { from, type, content, request_id, approve, task, handoff }: Message,
  isExternal: boolean,
  team?: string,
): string {
  if (from === 'user' && type === 'message' && !isExternal) return content
  const request = typeof request_id === 'string' && !isExternal ? ` request_id="${attribute(request_id)}"` : ''
  // The text of an answer need not say whether it approves.
  const answer = typeof approve === 'boolean' && !isExternal ? ` approve="${approve}"` : ''
  const about = typeof task === 'string' && !isExternal ? ` task="${attribute(task)}"` : ''
  // A type that the organisation added.
  const shownType = typeof handoff === 'string' && !isExternal ? attribute(handoff) : type
  const where = team === undefined ? '' : ` team="${attribute(team)}"`
  const origin = isExternal ? ' origin="external, unverified"' : ''
  // A sender cannot end its own message and begin one that seems to be of another sender.
  const quoted = content.replace(/<(?=\/?message\b)/gi, '&lt;')
  return `<message from="${attribute(from)}"${where} type="${shownType}"${about}${request}${answer}${origin}>\n${quoted}\n</message>`
}

function attribute(text: string): string {
  return text.replace(/["<>&\s]/g, '_')
}

/** When the recipient reads a message that was just sent. */
export function readingTimeText(member: Member | undefined, urgent: boolean): string {
  if (member?.kind !== 'agent') return 'read when they check their inbox'
  switch (member.status) {
    case 'idle':
      return 'idle; this wakes it'
    case 'starting':
    case 'working':
      return `${member.status}; ${urgent ? 'interrupted for this' : 'read before its next step'}`
    case 'waiting_approval':
      return 'waiting_approval; read before its next step'
    case 'stopping':
      return 'stopping; it may stop before reading it'
    case 'lost':
    case 'stopped':
      return `${member.status}; read when it is back`
    default:
      return member.status satisfies never
  }
}
