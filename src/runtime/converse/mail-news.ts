import type { UserTurn } from '../../ports/model.ts'
import type { Author } from '../../team/event.ts'
import type { Message } from '../../team/message.ts'
import { type Unread, unreadOf } from '../../team/state.ts'
import type { Team } from '../team.ts'
import type { Transcript } from '../transcript.ts'
import type { News, Notices } from './conversation.ts'

/**
 * Folds the journal's news and makes one user turn of all mail and notices: never an invented assistant turn. What the
 * transcript holds already was heard by somebody who died before saying so, and is only acknowledged. `from` names the
 * team it comes from where that could be in doubt.
 */
export async function mailNews(
  { team, transcript, notices }: { team: Team; transcript: Transcript; notices: Notices },
  by: Author,
  from?: string,
): Promise<News | undefined> {
  const acknowledge = async (heard: readonly Unread[]) => {
    for (const { ids, take, turn } of together(heard, transcript)) {
      // Should a power cut take it back, the transcript still knows, and it is said again.
      await team.acknowledge(by.name, ids, take, { by, until: 'written', turn })
    }
  }
  await team.refresh()
  const { mail: inTranscript } = transcript.state
  const unread = unreadOf(team.state, by.name)
  const heard = unread.filter(({ message }) => inTranscript.has(message.id))
  if (heard.length > 0) await transcript.synced()
  await acknowledge(heard)

  const fresh = unread.filter(({ message }) => !inTranscript.has(message.id))
  if (fresh.length === 0 && notices.waiting === 0) return undefined
  const messages = await team.whole(fresh.map(({ message }) => message))
  const told = notices.take()
  const letters = messages.flatMap((message, i) => {
    const isExternal = fresh[i]?.external ?? true
    return isSaidAgain(messages, i) && !isExternal ? [] : [inWords(message, isExternal, from)]
  })
  const mail = fresh.map(({ message }) => message.id)
  return {
    turn: userTurn([...told.map(({ text }) => text), ...letters]),
    mail,
    jobs: told.flatMap(({ job }) => job ?? []),
    isTrue: () => team.syncNews(),
    acknowledge: () => acknowledge(fresh),
  }
}

interface Heard {
  readonly ids: string[]
  readonly take: string | null
  readonly turn: string | undefined
}

/** Who stands in the same turn is acknowledged at once; whom somebody took and never read, under that one's name. */
function together(heard: readonly Unread[], { state }: Transcript): Iterable<Heard> {
  const groups = new Map<string, Heard>()
  for (const { message, taken } of heard) {
    const take = taken?.take ?? null
    const turn = state.mail.get(message.id)
    const key = `${take} ${turn}`
    const group = groups.get(key) ?? { ids: [], take, turn }
    group.ids.push(message.id)
    groups.set(key, group)
  }
  return groups.values()
}

export function userTurn(texts: readonly string[]): UserTurn {
  return { role: 'user', content: texts.map((text) => ({ type: 'text', text })) }
}

/** That somebody rests is worth saying once: of several such notices in one turn the last one counts. */
function isSaidAgain(messages: readonly Message[], at: number): boolean {
  const { type, from } = messages[at]!
  return (
    type === 'idle_notification' && messages.slice(at + 1).some((later) => later.type === type && later.from === from)
  )
}

/** The user speaks plainly; everybody else is named, and what came in by the door is marked as such. */
export function inWords(
  { from, type, content, request_id, approve }: Message,
  isExternal: boolean,
  team?: string,
): string {
  if (from === 'user' && type === 'message' && !isExternal) return content
  const request = typeof request_id === 'string' && !isExternal ? ` request_id="${attribute(request_id)}"` : ''
  // The words of an answer need not say whether it is a yes.
  const answer = typeof approve === 'boolean' && !isExternal ? ` approve="${approve}"` : ''
  const where = team === undefined ? '' : ` team="${attribute(team)}"`
  const origin = isExternal ? ' origin="external, unverified"' : ''
  // Nobody ends their own letter and begins one of somebody else in it.
  const letter = content.replace(/<(?=\/?message\b)/gi, '&lt;')
  return `<message from="${attribute(from)}"${where} type="${type}"${request}${answer}${origin}>\n${letter}\n</message>`
}

function attribute(text: string): string {
  return text.replace(/["<>&\s]/g, '_')
}
