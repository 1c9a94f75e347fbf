import type { Seat } from '../ports/seat.ts'
import type { Author } from '../team/event.ts'
import { unreadOf } from '../team/state.ts'
import { excerptOf } from './converse/fitted.ts'
import { inWords } from './converse/in-words.ts'
import type { Team } from './team.ts'

/** Of a long message so much is told beside the path of all of it. */
const EXCERPT_TOKENS = 5_000

/** A member's place in a team; `isHeard` says which messages its transcript holds already. */
export function createSeat(team: Team, by: Author, isHeard: (id: string) => boolean): Seat {
  // What a tool reads of the state right after this belongs to the step.
  const refresh = () => (team.order ? team.order.step(`${by.name} looks`, () => team.refresh()) : team.refresh())
  return {
    team: team.name,
    name: by.name,
    get state() {
      return team.state
    },
    refresh,
    run: (command) => team.run(command, { by }),
    send: (letter) => team.send(letter, { by }),
    whole: (value) => team.whole(value),
    async unread() {
      await refresh()
      const fresh = unreadOf(team.state, by.name).filter(({ message }) => !isHeard(message.id))
      const messages = await team.whole(fresh.map(({ message }) => message))
      // What derives from news is not to outlive them.
      await team.syncNews()
      return messages.map((message, i) => {
        const isExternal = fresh[i]?.external ?? true
        return {
          message,
          words: inWords(message, isExternal),
          excerpt(keep) {
            const path = keep(message.content, 'mail')
            const content = excerptOf(message.content, EXCERPT_TOKENS, path)
            return { words: inWords({ ...message, content }, isExternal), path }
          },
        }
      })
    },
  }
}
