import type { TeamActivity } from '../../session/team-activity.ts'
import { nameKey } from '../../team/name.ts'
import { counted } from '../../team/wording.ts'
import { statusLines } from '../../terminal/status-lines.ts'
import type { TeamStatus } from '../../view/team-status.ts'
import type { View } from '../../view/view.ts'
import { markedAnsi } from '../output/colours.ts'
import { colours, oneLine } from '../output/format.ts'
import type { Call } from '../program/context.ts'

/** What `status --json` prints of a team. */
export interface ShownStatus extends TeamStatus {
  readonly state: TeamActivity
  readonly sandbox: 'missing' | 'installed'
}

/** In a pipe, where no terminal says how wide it is. */
const PIPE_COLUMNS = 120

/** The view as lines, with what a script would look for below it. */
export function statusText(call: Call, view: View, shown: ShownStatus): string {
  const { name, description, state, session, tasks, requests, breaker, sandbox, deviations, members } = shown
  const activity = {
    'at work': 'at work',
    'at rest': 'at rest',
    interrupted: `interrupted; resume it with: deskmates resume ${session ?? name}`,
    unknown: 'possibly at work on another machine',
  }[state]
  const columns = call.isTerminal ? (call.stdout.columns ?? 80) : PIPE_COLUMNS
  const hasColours = call.isTerminal && !call.env.NO_COLOR && call.env.TERM !== 'dumb'
  const drawn = statusLines(view, name, call.clock.now(), columns)
  const counts = [
    `${tasks.pending} pending (${tasks.ready} ready)`,
    `${tasks.in_progress} in progress`,
    `${tasks.completed} completed`,
    ...(tasks.failed > 0 ? [`${tasks.failed} failed`] : []),
  ]
  const lines = [
    ...drawn.map((line) => (hasColours ? markedAnsi(line.ansi) : line.bare).trimEnd()),
    ...members.flatMap(({ name, parked }) => (parked === undefined ? [] : [`  ${name} is parked: ${oneLine(parked)}`])),
    `  tasks: ${counts.join(', ')}`,
    // Those to the user are among what needs a person.
    ...requests
      .filter(({ to }) => nameKey(to) !== 'user')
      .map(({ id, kind, from, to, content }) => `  request ${id}: ${from} asks ${to} (${kind}): ${oneLine(content)}`),
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
  const { bold } = colours(call)
  const title = `${bold(name)}  ${activity}${description ? `  ${oneLine(description)}` : ''}`
  return `${[title, ...lines].join('\n')}\n`
}
