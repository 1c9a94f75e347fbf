import type { MemberRow } from '../../view/member-rows.ts'
import { type Drawn, draw, EMPTY, paint, spread } from '../drawing/drawn.ts'
import { dollars, elapsed, tokens } from '../drawing/values.ts'

const MAX_NAME_COLUMNS = 14

/** One teammate: state, task, for how long, what it does, what it cost. */
export function agentRowLine(row: MemberRow, now: number, isSelected: boolean, columns: number): Drawn {
  const cost = row.tokens > 0 ? paint.dim(`${tokens(row.tokens)} · ${dollars(row.dollars)}`) : EMPTY
  const unread = row.unread > 0 ? draw` ${paint.cyan(`✉${row.unread}`)}` : EMPTY
  const name = paint.bold(row.name).fill(Math.min(MAX_NAME_COLUMNS, Math.max(8, Math.floor(columns / 6))))
  const free = Math.max(10, columns - name.columns - cost.columns - unread.columns - 8)
  const left = draw`${isSelected ? '›' : ' '}${markOf(row)} ${name} ${doing(row, now, free)}${unread}`
  return spread(left, cost, columns)
}

function doing(row: MemberRow, now: number, free: number): Drawn {
  const time = elapsed(now - row.since)
  if (row.waitsForProvider !== null) return draw`${paint.yellow(draw`waits: ${row.waitsForProvider}`)}`.fit(free)
  if (row.state !== 'working') {
    const state = row.state.replaceAll('_', ' ')
    return (row.task ? draw`${state} ${time}  #${row.task.id} ${row.task.subject}` : draw`${state} ${time}`).fit(free)
  }
  const silent = row.isStalled ? paint.yellow(`silent ${time}`) : paint.dim(time)
  const task = row.task ? draw`#${row.task.id} ${row.task.subject}`.fit(Math.floor(free * 0.5)) : EMPTY
  const separated = row.task ? draw`${task}  ${silent}` : silent
  return draw`${separated}  ${row.lastAction}`.fit(free)
}

function markOf({ state, isStalled, waitsForProvider }: MemberRow): Drawn {
  if (isStalled || waitsForProvider !== null) return paint.yellow('▲')
  switch (state) {
    case 'working':
      return paint.green('●')
    case 'starting':
      return paint.dim('◌')
    case 'waiting_approval':
      return paint.yellow('!')
    case 'interrupted':
    case 'lost':
      return paint.red('✗')
    case 'stopping':
    case 'stopped':
    case 'parked':
      return paint.dim('■')
    case 'idle':
      return paint.dim('○')
    default:
      return state satisfies never
  }
}
