import type { Presence } from '../ports/store.ts'
import type { Team } from '../runtime/team.ts'
import type { Workspace } from '../workspace.ts'
import { name } from './arguments.ts'
import { granted, Refused } from './failure.ts'
import { withTeam } from './open-team.ts'
import { print, printJson } from './print.ts'
import type { SubCommand } from './sub-command.ts'

export const teamDelete: SubCommand<{ purge?: boolean }, [team: string]> = {
  example: `$ deskmates team delete web             moves it to .teams/.deleted
$ deskmates team delete web --purge     for good`,
  instead: () => 'Use your TeamDelete tool.',
  define(command) {
    command.argument('<team>', 'its name', name).option('--purge', 'remove it for good instead of moving it away')
  },
  async run(call, { purge = false }, wanted) {
    // Told through a handle of its own, whose closing puts the message into the mailbox files before they go.
    const notified = await withTeam(call, 'write', tellMembers, wanted)
    await withTeam(
      call,
      'write',
      async (team, { store, kind }) => {
        granted(await team.run({ type: 'team.delete' }))
        await team.close()
        await store.remove(team.name, purge)
        if (call.globals.json) return printJson(call, { name: team.name, deleted: true, purged: purge, notified })
        const where = purge ? 'removed for good' : AWAY[kind]
        await print(call, `Team ${team.name} deleted, ${notified.length} members notified; ${where}.\n`)
      },
      wanted,
    )
  },
}

const AWAY = { files: 'moved to .teams/.deleted', postgres: 'its records stay in the database, put away' }

/** Whoever runs the team would go on working for one that is gone. */
export async function refuseLiveSupervisor(
  { name, state }: Pick<Team, 'name' | 'state'>,
  presence: Presence,
  advice: string,
): Promise<void> {
  const { runtime } = state.supervisor.get()
  if (runtime === null || runtime === presence.self) return
  const seen = await presence.look(runtime)
  if (seen === 'dead') return
  const doubt = seen === 'unknown' ? ', on another machine or in another container,' : ''
  throw new Refused({
    refused: 'supervised',
    message: `Team ${name} is run by ${runtime}${doubt} right now. ${advice}`,
  })
}

async function tellMembers(team: Team, { store }: Workspace): Promise<string[]> {
  await refuseLiveSupervisor(team, store.presence, 'Stop it first, then delete the team.')
  // A deletion that a crash cut short only has to be finished.
  if (team.state.team.get()?.deleted) return []
  const effects = granted(await team.send({ to: 'all', content: 'This team is being deleted.' }))
  return effects.filter(({ outcome }) => outcome === 'queued').map(({ to }) => to)
}
