import { matchesKey } from '@earendil-works/pi-tui'
import type { ToolEntry } from '../../view/view.ts'
import { callTitle, wholeCallLines } from '../conversation/entry-lines.ts'
import { draw, paint } from '../drawing/drawn.ts'
import { timeOfDay } from '../drawing/values.ts'
import type { Host } from '../host.ts'
import type { OpenView } from './open-view.ts'

const MAX_CALLS = 200

/** The lead's tool calls, the newest first; Enter opens one in full. */
export function callsView(host: Pick<Host, 'view' | 'open'>): OpenView {
  const calls = (host.view.agents.get('lead')?.conversation ?? [])
    .filter((entry): entry is ToolEntry => entry.kind === 'tool')
    .slice(-MAX_CALLS)
    .reverse()
  let selected = 0
  return {
    title: draw`tool calls`,
    get focus() {
      return { from: selected, to: selected }
    },
    lines: (columns) =>
      calls.length === 0
        ? [paint.dim('No tool was called yet.').fit(columns)]
        : calls.map((call, i) => {
            const row = draw`${i === selected ? '›' : ' '} ${timeOfDay(call.at)} ${callTitle(call)}`.fit(columns)
            return i === selected ? paint.cyan(row) : row
          }),
    keys: '↑↓ choose · ↵ open',
    followsEnd: false,
    key(data) {
      const call = calls[selected]
      if (matchesKey(data, 'up')) selected = Math.max(0, selected - 1)
      else if (matchesKey(data, 'down')) selected = Math.min(Math.max(0, calls.length - 1), selected + 1)
      else if (matchesKey(data, 'enter') && call) host.open(callView(call))
      else return false
      return true
    },
  }
}

function callView(call: ToolEntry): OpenView {
  return { title: draw`${call.name}`, lines: (columns) => wholeCallLines(call, columns), keys: '', followsEnd: false }
}
