import type { Team } from '../../runtime/team.ts'
import { isRefusal } from '../../team/refusal.ts'
import { unreadOf } from '../../team/state.ts'
import type { MessageView } from '../../team/view.ts'
import { granted } from '../failure.ts'

/** What goes with the words, so that a script need not understand them. */
type Extra = Readonly<Record<string, string>>

/** One reader's mail: taken from the team, kept here until somebody asks for it. */
export interface Letters {
  send(to: string, content: string, extra?: Extra): Promise<string>
  /** Everything new, in order, together with what was kept. */
  take(): Promise<MessageView[]>
  /** The first letter that fits, whenever it comes; others are kept. Undefined when `signal` aborts. */
  await(fits: (letter: MessageView) => boolean, signal: AbortSignal): Promise<MessageView | undefined>
}

/** Nobody has to wake us: the journal's folder is watched, and looked at this often anyway. */
const FLOOR = 2000

export function openLetters(team: Team, name: string, taker: string): Letters {
  const as = { by: { name } }
  let kept: MessageView[] = []

  async function take(): Promise<MessageView[]> {
    await team.refresh()
    if (unreadOf(team.state, name).length > 0) {
      const { mail } = granted(await team.run({ type: 'mail.take', member: name, taker }, as))
      const messages = mail?.messages ?? []
      const ids = messages.map(({ id }) => id)
      // Acknowledged one by one by the log: what went to another reader meanwhile is not ours.
      const effects = mail && ids.length > 0 ? await team.acknowledge(name, ids, mail.take, as) : []
      const read = new Set(effects.filter(({ outcome }) => outcome === 'delivered').map(({ id }) => id))
      kept.push(...messages.filter(({ id }) => read.has(id)))
    }
    const all = kept
    kept = []
    return all
  }

  return {
    take,
    async send(to, content, extra) {
      const effects = await team.send({ to, content, extra }, as)
      if (isRefusal(effects)) return granted<never>(effects)
      return effects[0]?.id ?? ''
    },
    async await(fits, signal) {
      while (!signal.aborted) {
        const letters = await take()
        const found = letters.find(fits)
        kept = letters.filter((letter) => letter !== found)
        if (found) return found
        await team.changed(FLOOR, signal)
      }
      return undefined
    },
  }
}
