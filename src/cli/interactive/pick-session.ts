import { pickSession as pick } from '../../terminal/pick-session.ts'
import type { Workspace } from '../../workspace.ts'
import type { Call } from '../program/context.ts'
import { Refused } from '../program/failure.ts'
import { sessionChoices } from './session-choices.ts'

/** The session that the person chooses from those of this folder; undefined where none is chosen. */
export async function pickSession(
  call: Call,
  workspace: Workspace,
  isScreenReader: boolean,
): Promise<string | undefined> {
  const sessions = await sessionChoices(call, workspace)
  if (sessions.length === 0)
    throw new Refused({ code: 'no_session', message: 'There is no session in this folder yet. Start one: deskmates' })
  return pick({ sessions, env: call.env, isScreenReader, signal: call.signal })
}
