import type { ListedSession } from '../../session/find-sessions.ts'
import { oneLine, table, time } from '../output/format.ts'
import type { Call } from '../program/context.ts'

/** One line per session; the title comes last, because only it may be long. */
export function sessionTable(call: Call, sessions: readonly ListedSession[]): string {
  const rows = sessions.map(({ name, usedAt, state, members, openTasks, unread, title }) => [
    name,
    time(usedAt).slice(0, 16),
    state,
    members.length === 0 ? '-' : members.length <= 3 ? members.join(',') : `${members.length} members`,
    counts(openTasks, 'open'),
    counts(unread, 'unread'),
    oneLine(title) || '(no title)',
  ])
  return table(call, ['SESSION', 'USED', 'STATE', 'MEMBERS', 'TASKS', 'MAIL', 'TITLE'], rows)
}

function counts(count: number, what: string): string {
  return count === 0 ? '-' : `${count} ${what}`
}
