import type { ListedSession } from '../session/find-sessions.ts'
import { type TeamStatus, teamStatus } from '../session/team-status.ts'
import { counted } from '../team/wording.ts'
import { colours, oneLine, table } from './output/format.ts'
import { print, printJson } from './output/print.ts'
import { name } from './program/arguments.ts'
import type { Call } from './program/context.ts'
import type { SubCommand } from './program/sub-command.ts'
import { readSessions, sessionTable } from './sessions/read-sessions.ts'
import { openStore } from './workspace/open-store.ts'
import { requireTeam, withTeam } from './workspace/open-team.ts'

export const status: SubCommand<object, [team: string | undefined]> = {
  example: `$ deskmates status web
web  at work
  MEMBER  STATUS   ROLE  TASK     UNREAD  CALLS
  lead    idle     lead           1       4
  ada     working  dev   2: plant          12
  tasks: 1 pending, 1 in progress, 3 completed`,
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
        const shown = await team.loadLongTexts(await teamStatus(team.state, workspace.store.presence, call))
        if (call.globals.json) await printJson(call, isNamed ? shown : { ...shown, others })
        else await print(call, `${inWords(call, shown)}${othersInWords(call, others)}`)
      },
      wanted,
    )
  },
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

function inWords(
  call: Call,
  { name, description, state, session, members, tasks, requests, breaker, sandbox, deviations }: TeamStatus,
): string {
  const { bold } = colours(call)
  const activity = {
    'at work': 'at work',
    'at rest': 'at rest',
    interrupted: `interrupted; resume it with: deskmates resume ${session ?? name}`,
    unknown: 'possibly at work on another machine',
  }[state]
  const rows = members.map(({ name, role, status, task, unread, calls }) => [
    `  ${name}`,
    status,
    role,
    task ? `${task.id}: ${oneLine(task.subject, 40)}` : '',
    unread === 0 ? '' : String(unread),
    calls === 0 ? '' : String(calls),
  ])
  const counts = [
    `${tasks.pending} pending (${tasks.ready} ready)`,
    `${tasks.in_progress} in progress`,
    `${tasks.completed} completed`,
    ...(tasks.failed > 0 ? [`${tasks.failed} failed`] : []),
  ]
  const parked = members.flatMap(({ name, parked }) =>
    parked === undefined ? [] : [`  ${name} is parked: ${oneLine(parked)}`],
  )
  const lines = [
    ...parked,
    `  tasks: ${counts.join(', ')}`,
    ...requests.map(
      ({ id, kind, from, to, content }) => `  request ${id}: ${from} asks ${to} (${kind}): ${oneLine(content)}`,
    ),
    ...(sandbox === 'missing'
      ? [
          "  sandbox: none here (bubblewrap is not installed), so commands can alter the team's files; see: deskmates doctor",
        ]
      : []),
    ...(breaker === 'closed'
      ? []
      : [`  circuit breaker: ${breaker}; teammates kept failing, so subagents do their work`]),
    ...(deviations.length > 0
      ? [
          `  ${counted(deviations.length, 'thing')} unfinished, the last by ${deviations.at(-1)!.member}: ${oneLine(deviations.at(-1)!.text)}`,
        ]
      : []),
  ]
  const title = `${bold(name)}  ${activity}${description ? `  ${oneLine(description)}` : ''}\n`
  return `${title}${table(call, ['  MEMBER', 'STATUS', 'ROLE', 'TASK', 'UNREAD', 'CALLS'], rows)}${lines.join('\n')}\n`
}
