import { SelectList } from '@earendil-works/pi-tui'
import type { ToolEntry } from '../../view/view.ts'
import { callTitle, wholeCallLines } from '../conversation/entry-lines.ts'
import { Drawn, draw, paint } from '../drawing/drawn.ts'
import { selectListTheme } from '../drawing/theme.ts'
import { timeOfDay } from '../drawing/values.ts'
import type { Host } from '../host.ts'
import type { OpenView } from './open-view.ts'

const MAX_CALLS = 200
const VISIBLE_CALLS = 15

/** The lead's tool calls, the newest first; Enter opens one in full. */
export function callsView(host: Pick<Host, 'view' | 'open'>): OpenView {
  const calls = (host.view.agents.get('lead')?.conversation ?? [])
    .filter((entry): entry is ToolEntry => entry.kind === 'tool')
    .slice(-MAX_CALLS)
    .reverse()
  const items = calls.map((call, i) => ({
    value: String(i),
    label: draw`${timeOfDay(call.at)} ${callTitle(call)}`.fit(200).bare,
  }))
  const list = new SelectList(items, VISIBLE_CALLS, selectListTheme)
  list.onSelect = ({ value }) => host.open(callView(calls[Number(value)]!))
  return {
    title: draw`tool calls`,
    lines: (columns) =>
      calls.length === 0 ? [paint.dim('No tool was called yet.')] : list.render(columns).map(Drawn.ofComponent),
    keys: '↑↓ choose · ↵ open',
    followsEnd: false,
    key(data) {
      const isClosing = data === '\x1b'
      if (!isClosing) list.handleInput(data)
      return !isClosing
    },
  }
}

function callView(call: ToolEntry): OpenView {
  return { title: draw`${call.name}`, lines: (columns) => wholeCallLines(call, columns), keys: '', followsEnd: false }
}
