import type { SessionChoice } from '../../terminal/host.ts'
import type { Workspace } from '../../workspace.ts'
import type { Call } from '../program/context.ts'
import { readSessions } from '../sessions/read-sessions.ts'

/** The sessions of this folder for a list on the screen, the last used first. */
export async function sessionChoices(call: Call, workspace: Workspace): Promise<SessionChoice[]> {
  const sessions = await readSessions(call, workspace)
  return sessions.map(({ name: id, usedAt: at, title: firstPrompt, members, unread, state }) => ({
    ...{ id, at, firstPrompt, members, unread },
    isRunning: state === 'at work',
  }))
}
