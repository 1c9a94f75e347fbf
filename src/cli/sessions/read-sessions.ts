import { findSessions, type ListedSession } from '../../session/find-sessions.ts'
import type { Workspace } from '../../workspace.ts'
import { oneLine, table, time } from '../output/format.ts'
import { warn } from '../output/print.ts'
import type { Call } from '../program/context.ts'
import { explain } from '../program/failure.ts'

/** The sessions of this folder, with a warning for each team that cannot be read. */
export function readSessions(call: Call, workspace: Workspace): Promise<ListedSession[]> {
  return findSessions(workspace, {
    clock: call.clock,
    onUnreadable: (team, error) => warn(call, `Team ${team} cannot be read: ${explain(error, call.env).message}`),
  })
}

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
