import { findSessions, type ListedSession } from '../../session/find-sessions.ts'
import type { Workspace } from '../../workspace.ts'
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
