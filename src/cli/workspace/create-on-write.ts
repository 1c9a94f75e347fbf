import type { TeamHandle } from '../../journal/team-handle.ts'
import { assume, decide } from '../../team/decide.ts'
import type { Author } from '../../team/event.ts'
import { checkMessage } from '../../team/mail/decide-mail.ts'
import { isRefusal, type Refusal } from '../../team/refusal.ts'

/**
 * A team that is created by the first command that it accepts: a refused command, such as a mistyped one, leaves no
 * trace in the folder.
 */
export function createOnWrite(team: TeamHandle, now: () => number): TeamHandle {
  const about = (by: Author) => ({
    id: '',
    by,
    now: now(),
    dead: new Set<string>(),
    unknown: new Set<string>(),
    self: '',
  })

  /** Creates the team, unless the command would be refused in a new team. */
  async function create(by: Author, wouldRefuse: () => object | undefined): Promise<Refusal | undefined> {
    if (team.state.team.get()) return undefined
    const command = { type: 'team.create', team: team.name } as const
    const foreseen = team.state.trial.run(() => {
      const made = decide(team.state, command, about({ name: 'user' }))
      if (isRefusal(made)) return made
      assume(team.state, made.events, about(by))
      return wouldRefuse()
    })
    if (foreseen && isRefusal(foreseen)) return foreseen
    const made = await team.run(command)
    return isRefusal(made) ? made : undefined
  }

  const user = { name: 'user' }
  return Object.assign(Object.create(team) as TeamHandle, {
    run: async (...[command, as]: Parameters<TeamHandle['run']>) => {
      const by = as?.by ?? user
      return (await create(by, () => decide(team.state, command, about(by)))) ?? team.run(command, as)
    },
    send: async (...[message, as]: Parameters<TeamHandle['send']>) => {
      const by = as?.by ?? user
      return (await create(by, () => checkMessage(team.state, message, by))) ?? team.send(message, as)
    },
  })
}
