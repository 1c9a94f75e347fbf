import { boardRows } from '../view/board-rows.ts'
import { memberRows } from '../view/member-rows.ts'
import { needsPerson } from '../view/needs-person.ts'
import type { View } from '../view/view.ts'
import { type Drawn, draw, paint } from './drawing/drawn.ts'
import { agentRowLine } from './team-panel/agent-row.ts'
import { needText } from './team-panel/needs.ts'
import { boardLines } from './views/board-graph.ts'

/** A longer board has a command of its own. */
const MAX_BOARD_ROWS = 12

/** One team for a person who looks once: what needs them, every member, the board. */
export function statusLines(view: View, team: string, now: number, columns: number): Drawn[] {
  const needs = needsPerson(view).filter((need) => need.team === team)
  const state = view.teams.get(team)
  const board = state && state.tasks.size <= MAX_BOARD_ROWS ? boardRows(state) : []
  return [
    ...needs.map((need) => draw` ${paint.yellow('!')} ${needText(need)}`.fit(columns)),
    ...memberRows(view, team, now).map((row) => agentRowLine(row, now, false, columns)),
    ...(board.length > 0 ? boardLines(board, Math.max(1, columns - 2)).map((line) => draw`  ${line}`) : []),
  ]
}
