import type { TeamHandle } from '../journal/team-handle.ts'
import { messageText } from '../prompts/message.ts'
import type { Author } from '../team/event.ts'
import { unreadOf } from '../team/state.ts'
import type { MessageRouting } from '../tools/message-routing.ts'
import type { TeamMembership } from '../tools/team-membership.ts'
import { excerptOf } from './fit-text.ts'

/** So much of a long message is shown beside the path of its file. */
const EXCERPT_TOKENS = 5_000

/** Who acts, in which team. */
export interface Membership {
  readonly team: TeamHandle
  readonly by: Author
}

/** A membership as tools use it; `isDelivered` says which messages the member's transcript holds already. */
export function createMembership(
  { team, by }: Membership,
  isDelivered: (id: string) => boolean,
  routing?: MessageRouting,
): TeamMembership {
  // What a tool reads of the state right after this belongs to the step.
  const refresh = () => (team.order ? team.order.step(`${by.name} looks`, () => team.refresh()) : team.refresh())
  return {
    team: team.name,
    name: by.name,
    get state() {
      return team.state
    },
    refresh,
    routing,
    run: (command, commandId) =>
      team.run(command, { by, ...(commandId !== undefined && { commandId, isFirst: true }) }),
    send: (message) => team.send(message, { by }),
    loadLongTexts: (value) => team.loadLongTexts(value),
    async unread() {
      await refresh()
      const fresh = unreadOf(team.state, by.name).filter(({ message }) => !isDelivered(message.id))
      const messages = await team.loadLongTexts(fresh.map(({ message }) => message))
      // What is derived from the messages must not outlive them in a power cut.
      await team.syncState()
      return messages.map((message, i) => {
        const isExternal = fresh[i]?.external ?? true
        return {
          message,
          text: messageText(message, isExternal),
          excerpt(keep) {
            const path = keep(message.content, 'mail')
            const content = excerptOf(message.content, EXCERPT_TOKENS, path)
            return { words: messageText({ ...message, content }, isExternal), path }
          },
        }
      })
    },
  }
}
