import type { UserTurn } from '../../ports/model.ts'
import type { Message } from '../../team/message.ts'
import { type Unread, unreadOf } from '../../team/state.ts'
import type { AgentEvent } from './agent-event.ts'
import type { Conversation } from './conversation.ts'

/**
 * Folds the journal's news and makes one user turn of all mail and notices: never an invented assistant turn, never two
 * user turns in a row. Transcript first, then the acknowledgement: after a crash a message may be acknowledged late,
 * but it is neither lost nor heard twice.
 */
export async function* hear(talk: Conversation): AsyncGenerator<AgentEvent, void> {
  const { agent, team, transcript, notices } = talk
  await team.refresh()
  const unread = unreadOf(team.state, agent.name)
  const heard = unread.filter(({ message }) => transcript.state.mail.has(message.id))
  if (heard.length > 0) await acknowledge(talk, heard)

  const fresh = unread.filter(({ message }) => !transcript.state.mail.has(message.id))
  if (fresh.length === 0 && notices.waiting === 0) return
  const told = notices.take()
  const messages = await team.whole(fresh.map(({ message }) => message))
  const texts = [...told, ...messages.map((message, i) => inWords(message, fresh[i]?.external ?? true))]
  const turn: UserTurn = { role: 'user', content: texts.map((text) => ({ type: 'text', text })) }
  const mail = fresh.map(({ message }) => message.id)
  if (__BUG__ === 'ack-before-turn') await acknowledge(talk, fresh)
  await transcript.hear(turn, mail)
  if (mail.length > 0) await acknowledge(talk, fresh)
  yield { type: 'heard', turn, mail }
}

async function acknowledge({ agent, team }: Conversation, read: readonly Unread[]): Promise<void> {
  const ids = read.map(({ message }) => message.id)
  await team.acknowledge(agent.name, ids, null, { by: agent.author })
}

/** The user speaks plainly; everybody else is named, and what came in by the door is marked as such. */
function inWords({ from, type, content }: Message, isExternal: boolean): string {
  if (from === 'user' && type === 'message' && !isExternal) return content
  const origin = isExternal ? ' origin="external, unverified"' : ''
  return `<message from="${from}" type="${type}"${origin}>\n${content}\n</message>`
}
