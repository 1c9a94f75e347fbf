import type { TeamHandle } from '../../journal/team-handle.ts'
import { findProgram } from '../../permissions/processes/find-program.ts'
import { PROGRAM } from '../../permissions/sandbox/probe.ts'
import type { ListedSession } from '../../session/find-sessions.ts'
import { teamActivity } from '../../session/team-activity.ts'
import { teamStatus } from '../../view/team-status.ts'
import type { Workspace } from '../../workspace.ts'
import { print, printJson } from '../output/print.ts'
import { name } from '../program/arguments.ts'
import type { Call } from '../program/context.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { readSessions, sessionTable } from '../sessions/read-sessions.ts'
import { openStore } from '../workspace/open-store.ts'
import { requireTeam, withTeam } from '../workspace/open-team.ts'
import type { ShownStatus } from './status-text.ts'
import { statusView } from './status-view.ts'

export const status: SubCommand<object, [team: string | undefined]> = {
  example: `$ deskmates status web
web  at work
 ! ada wants bash: npm publish
 ○ lead   idle 4m
 ● ada    #2 Use the parser  2m03
  tasks: 1 pending (0 ready), 1 in progress, 3 completed`,
  define(command) {
    command.argument('[team]', 'its name; without it --team, else the newest session of this folder', name)
  },
  async run(call, _options, named) {
    const isNamed = named !== undefined || call.globals.team !== undefined || Boolean(call.env.DESKMATES_TEAM)
    const [newest, ...others] = isNamed ? [] : await sessionsHere(call)
    const wanted = named ?? newest?.name
    await withTeam(
      call,
      'read',
      async (team, workspace) => {
        await requireTeam(call, team, workspace, wanted)
        const { view, shown } = await read(call, team, workspace)
        if (call.globals.json) return printJson(call, isNamed ? shown : { ...shown, others })
        const { statusText } = await import('./status-text.ts')
        await print(call, `${statusText(call, view, shown)}${othersInWords(call, others)}`)
      },
      wanted,
    )
  },
}

/** The team as the view shows it, and whether a process is at work on it. */
async function read(call: Call, team: TeamHandle, workspace: Workspace) {
  const activity = await teamActivity(team.state, workspace.store.presence)
  const view = await statusView(call, team, workspace, activity)
  const { name, description, session, runtime, members, tasks, requests, breaker, deviations } = teamStatus(
    view,
    team.name,
    call.clock.now(),
  )!
  const shown: ShownStatus = {
    ...{ name, description, session, state: activity, runtime, members, tasks, requests, breaker },
    // Whether this machine has what keeps commands in; `deskmates doctor` tries whether it works.
    sandbox: findProgram(PROGRAM, call.env.PATH, []) === undefined ? 'missing' : 'installed',
    deviations,
  }
  return { view, shown }
}

async function sessionsHere(call: Call): Promise<ListedSession[]> {
  await using workspace = await openStore(call)
  return readSessions(call, workspace)
}

const MAX_SHOWN = 10

function othersInWords(call: Call, others: readonly ListedSession[]): string {
  if (others.length === 0) return ''
  const more = others.length > MAX_SHOWN ? `${others.length - MAX_SHOWN} more: deskmates sessions\n` : ''
  return `\nOther sessions (deskmates status SESSION):\n${sessionTable(call, others.slice(0, MAX_SHOWN))}${more}`
}
