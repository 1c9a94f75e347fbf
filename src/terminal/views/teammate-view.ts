import { agentRows } from '../../view/agent-rows.ts'
import { applyLine } from '../../view/apply-line.ts'
import { emptyView } from '../../view/view.ts'
import { entryLines } from '../conversation/entry-lines.ts'
import { type Drawn, draw, paint } from '../drawing/drawn.ts'
import { elapsed } from '../drawing/values.ts'
import { follow } from '../feed.ts'
import { type Host, isDone, tell } from '../host.ts'
import type { OpenView } from './open-view.ts'

/** Entries of a teammate's conversation that are drawn; all of it is in its transcript. */
const SHOWN_ENTRIES = 200

/** A teammate's conversation as it goes on; what is typed goes to the teammate. */
export function teammateView(host: Host, name: string, redraw: () => void): OpenView {
  // A fold of its own: it holds what was said before this terminal was opened too.
  const own = emptyView()
  let stop: (() => void) | undefined
  let isClosed = false
  follow(host.control, name, (timed) => {
    if (timed.line.agent !== name || timed.line.type.startsWith('deskmates/question')) return
    applyLine(own, timed)
    redraw()
  }).then(
    (unsubscribe) => {
      stop = unsubscribe
      if (isClosed) stop()
      redraw()
    },
    (error: unknown) => tell(host, `The conversation of ${name} cannot be read: ${(error as Error).message}`),
  )
  return {
    get title() {
      return titleOf(host, name)
    },
    lines(columns) {
      const entries = own.agents.get(name)?.conversation ?? []
      const lines = entries.slice(-SHOWN_ENTRIES).flatMap((entry) => entryLines(entry, host.clock.now(), columns))
      return lines.length > 0 ? lines : [paint.dim('Nothing was said yet.')]
    },
    get keys() {
      return isWorking(host, name) ? 'esc interrupt · ← back · ^X stop' : 'esc back · ^X stop'
    },
    followsEnd: true,
    teammate: name,
    submit(text) {
      if (text.trim() === '') return
      host.control.send(name, text).then(
        (result) => isDone(host, result),
        (error: unknown) => tell(host, (error as Error).message),
      )
    },
    close() {
      isClosed = true
      stop?.()
    },
  }
}

export function isWorking({ view, clock }: Host, name: string): boolean {
  return agentRows(view, clock.now()).some((row) => row.name === name && row.state === 'working')
}

function titleOf({ view, clock }: Host, name: string): Drawn {
  const row = agentRows(view, clock.now()).find((one) => one.name === name)
  if (!row) return draw`${name} (stopped)`
  const task = row.task ? draw` · #${row.task.id} ${row.task.subject}` : draw``
  return draw`${paint.bold(name)} (${row.role}) · ${row.state.replaceAll('_', ' ')} ${elapsed(clock.now() - row.since)}${task}`
}
