import { openTeam } from '../runtime/team.ts'
import { belongsHere } from '../session/session-folder.ts'
import { isPresent } from '../team/member.ts'
import { roster, type TeamState } from '../team/state.ts'
import type { Workspace } from '../workspace.ts'
import { name } from './arguments.ts'
import type { Call } from './context.ts'
import { explain } from './failure.ts'
import { openStore } from './open-store.ts'
import { hint, print, printJsonArray, say, warn } from './print.ts'
import { defineRunOptions, type RunOptions } from './run/options.ts'
import { carryOut } from './run/run.ts'
import { table } from './screen.ts'
import type { SubCommand } from './sub-command.ts'
import { lifeOf } from './team-life.ts'

/** Goes on with a session: everybody comes back with conversation, claim, unread mail and open requests. */
export const resume: SubCommand<RunOptions, [team: string | undefined]> = {
  example: `$ deskmates resume          what can be gone on with
$ deskmates resume web      goes on with it until all is settled`,
  instead: () => 'Use your Task tool.',
  define(command) {
    command.argument('[team]', 'the session, or a team it leads', name)
    defineRunOptions(command)
  },
  async run(call, options, team) {
    if (team !== undefined) return carryOut(call, { ...options, resume: team }, { isAsked: false })
    await using workspace = await openStore(call)
    const sessions = await sessionsIn(call, workspace)
    if (call.globals.json) await printJsonArray(call, sessions)
    else await show(call, sessions)
    return 0
  },
}

async function show(call: Call, sessions: Awaited<ReturnType<typeof sessionsIn>>): Promise<void> {
  const rows = sessions.map(({ name, state, members, openTasks, unread }) => [
    name,
    state,
    members.join(', '),
    String(openTasks),
    String(unread),
  ])
  await print(call, table(call, ['SESSION', 'STATE', 'MEMBERS', 'OPEN TASKS', 'UNREAD'], rows))
  if (sessions.length === 0) await say(call, "There are no sessions here. Begin one: deskmates -p 'what to do'")
  else await hint(call, 'Go on with one: deskmates resume SESSION')
}

/** Teams that a lead has worked in; further teams come back with the session that leads them, and count as its own. */
async function sessionsIn(call: Call, workspace: Workspace) {
  const { store } = workspace
  const teams = new Map<string, Awaited<ReturnType<typeof factsOf>>>()
  for (const team of await store.teams()) {
    try {
      await using handle = await openTeam(store, team, { clock: call.clock })
      await handle.refresh()
      teams.set(team, await factsOf(handle.state, workspace))
    } catch (error) {
      await warn(call, `Team ${team} cannot be read: ${explain(error, call.env).message}`)
    }
  }
  return [...teams]
    .filter(([, { isSession }]) => isSession)
    .map(([name, { state, leads, ...own }]) => {
      const all = [own, ...leads.flatMap((led) => teams.get(led) ?? [])]
      return {
        name,
        state,
        members: all.flatMap(({ members }) => members),
        openTasks: all.reduce((sum, { openTasks }) => sum + openTasks, 0),
        unread: all.reduce((sum, { unread }) => sum + unread, 0),
        teams: leads,
      }
    })
}

async function factsOf(state: TeamState, workspace: Workspace) {
  const { presence } = workspace.store
  const facts = state.team.get()
  const lead = roster(state).find(({ name }) => name === 'lead')
  return {
    isSession:
      facts !== undefined &&
      !facts.deleted &&
      facts.session === null &&
      Boolean(lead?.generation) &&
      belongsHere(state, workspace),
    state: await lifeOf(state, presence),
    members: roster(state)
      .filter((member) => isPresent(member) && member.name !== 'lead')
      .map((member) => member.name),
    openTasks: [...state.tasks.values()].filter(({ status }) => status !== 'completed').length,
    unread: [...state.mailboxes.values()].reduce((sum, mailbox) => sum + mailbox.size, 0),
    leads: state.leads.get(),
  }
}
