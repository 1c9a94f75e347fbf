import type { Presence } from '../journal/log/store.ts'
import { findProgram } from '../permissions/processes/find-program.ts'
import { PROGRAM } from '../permissions/sandbox/probe.ts'
import type { ListedSession } from '../session/find-sessions.ts'
import { teamActivity } from '../session/team-activity.ts'
import { taskView } from '../team/answers/view.ts'
import { settled } from '../team/members/breaker.ts'
import { isPresent } from '../team/members/member.ts'
import { heldBy, roster, type TeamState, unreadOf } from '../team/state.ts'
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
        const shown = await team.loadLongTexts(await statusOf(team.state, workspace.store.presence, call))
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

type Status = Awaited<ReturnType<typeof statusOf>>

async function statusOf(state: TeamState, presence: Presence, { clock, env }: Call) {
  const { name, description, session } = state.team.get()!
  const life = await teamActivity(state, presence)
  const tasks = { pending: 0, in_progress: 0, completed: 0, failed: 0 }
  for (const task of state.tasks.values()) tasks[task.status]++
  const ready = [...state.tasks.values()].filter(
    (task) => task.status === 'pending' && taskView(state, task).waitsFor.length === 0,
  ).length
  const isCutOff = (kind: string, status: string) => life === 'interrupted' && kind === 'agent' && status !== 'idle'
  return {
    name,
    description,
    /** The session whose lead made it as a further team. */
    session,
    state: life,
    /** The process that runs it, or did until it was interrupted. */
    runtime: state.supervisor.get().runtime,
    members: roster(state)
      .filter(isPresent)
      .map(({ name, role, kind, status, generation, parked }) => {
        const task = heldBy(state, name)
        const spent = state.spent.get(name.toLowerCase())
        return {
          name,
          role,
          kind,
          // What it did when its process was gone is not what it does.
          status:
            parked !== undefined ? ('parked' as const) : isCutOff(kind, status) ? ('interrupted' as const) : status,
          generation,
          ...(parked !== undefined && { parked }),
          task: task ? { id: task.id, subject: task.subject } : null,
          unread: unreadOf(state, name).length,
          calls: spent?.calls ?? 0,
          cost: spent?.cost ?? 0,
          unpriced: spent?.unpriced ?? 0,
        }
      }),
    tasks: { ...tasks, ready },
    requests: [...state.requests.values()].filter((request) => request.state === 'pending'),
    breaker: settled(state.breaker.get(), clock.now()).state,
    /** Whether this machine has what keeps commands in; `deskmates doctor` tries whether it works. */
    sandbox: findProgram(PROGRAM, env.PATH, []) === undefined ? 'missing' : 'installed',
    deviations: state.deviations.get(),
  }
}

function inWords(
  call: Call,
  { name, description, state, session, members, tasks, requests, breaker, sandbox, deviations }: Status,
): string {
  const { bold } = colours(call)
  const life = {
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
  const title = `${bold(name)}  ${life}${description ? `  ${oneLine(description)}` : ''}\n`
  return `${title}${table(call, ['  MEMBER', 'STATUS', 'ROLE', 'TASK', 'UNREAD', 'CALLS'], rows)}${lines.join('\n')}\n`
}
