import type { TeamHandle } from '../journal/team-handle.ts'
import type { UserTurn } from '../models/model.ts'
import type { Author } from '../team/event.ts'
import { type Unread, unreadOf } from '../team/state.ts'
import type { Input, Notice, Notices } from './agent.ts'
import { chooseMail, type InputBudget } from './choose-mail.ts'
import { tokensIn } from './compaction/weigh.ts'
import { fitText } from './fit-text.ts'
import type { Transcript } from './transcript/transcript.ts'

/** With the tokens that are left of the portion. */
export interface MailInput extends Input {
  readonly left: number
}

/**
 * Folds the journal's news and makes one user turn of a portion of mail and notices; the rest stays unread for the next
 * turn. What the
 * transcript holds already was heard by somebody who died before saying so, and is only acknowledged. `from` names the
 * team it comes from where that could be in doubt.
 */
export async function nextMailInput(
  {
    team,
    transcript,
    notices,
    portion,
  }: { team: TeamHandle; transcript: Transcript; notices: Notices; portion: InputBudget },
  by: Author,
  from?: string,
): Promise<MailInput | undefined> {
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
  const { mail, words, files, left } = await chooseMail(fresh, team, portion, from)
  // Last, and nothing is awaited behind it: whatever failed would lose them.
  const told = takeNotices(notices, portion)
  return {
    turn: userTurn([...told.map(({ text }) => text), ...words]),
    mail: mail.map(({ message }) => message.id),
    jobs: told.flatMap(({ job }) => job ?? []),
    files,
    task: told.findLast(({ task }) => task !== undefined)?.task,
    left,
    waitUntilDurable: () => team.syncState(),
    acknowledge: () => acknowledge(mail),
  }
}

/** Notices have a portion of their own: mail does not hold them up. */
function takeNotices(notices: Notices, { tokens, keep }: InputBudget): readonly Notice[] {
  let left = tokens
  const cost = new Map<Notice, number>()
  const taken = notices.take((notice) => {
    const size = notice.text.length > tokens * 20 ? tokens : Math.min(tokens, tokensIn(notice.text))
    cost.set(notice, size)
    left -= size
    return left >= 0
  })
  return taken.map((notice) =>
    cost.get(notice)! < tokens ? notice : { ...notice, text: fitText(notice.text, tokens / 2, keep, 'notice').text },
  )
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
