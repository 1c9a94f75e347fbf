import { matchesKey } from '@earendil-works/pi-tui'
import { paint } from '../drawing/drawn.ts'
import type { Host, SessionChoice } from '../host.ts'
import type { OpenView } from './open-view.ts'
import { SessionList, typedSessionLines } from './session-list.ts'

/** The other sessions of this folder; Enter leaves this one for the chosen one, Esc returns to it. */
export function sessionsView(host: Host, sessions: readonly SessionChoice[]): OpenView {
  const list = new SessionList(sessions)
  let whyNot: string | undefined
  return {
    get title() {
      return list.title
    },
    get focus() {
      return list.focus
    },
    lines: (columns) => list.lines(columns),
    typedLines: (columns) => [
      ...typedSessionLines(sessions, columns),
      paint.dim('Continue one with: /resume ID').fit(columns),
    ],
    get keys() {
      return whyNot ?? '↑↓ choose · ↵ continue it · type to search'
    },
    followsEnd: false,
    key(data) {
      if (matchesKey(data, 'escape')) return false
      const outcome = list.key(data)
      whyNot = undefined
      if (typeof outcome === 'object' && outcome.chosen.isRunning) whyNot = runningElsewhere(outcome.chosen.id)
      else if (typeof outcome === 'object') host.leave({ next: 'resume', session: outcome.chosen.id })
      return true
    },
  }
}

/** Two processes cannot run one session. */
export function runningElsewhere(id: string): string {
  return `It runs in another process: deskmates attach ${id}`
}
