import { isCancel, select } from '@clack/prompts'
import type { Workspace } from '../../workspace.ts'
import { oneLine, time } from '../output/format.ts'
import type { Call } from '../program/context.ts'
import { Refused } from '../program/failure.ts'
import { readSessions } from '../sessions/read-sessions.ts'

const MAX_SHOWN = 30

/** The session that the person chooses from those of this folder; undefined where none is chosen. */
export async function pickSession(call: Call, workspace: Workspace): Promise<string | undefined> {
  const sessions = await readSessions(call, workspace)
  if (sessions.length === 0)
    throw new Refused({ code: 'no_session', message: 'There is no session in this folder yet. Start one: deskmates' })
  const chosen = await select({
    message: 'Which session?',
    maxItems: 12,
    options: sessions.slice(0, MAX_SHOWN).map(({ name, title, usedAt, members, unread }) => ({
      value: name,
      label: oneLine(title || name, 60),
      hint: [time(usedAt).slice(0, 16), members.join(', '), unread > 0 ? `${unread} unread` : '']
        .filter(Boolean)
        .join(' · '),
    })),
  })
  return isCancel(chosen) ? undefined : chosen
}
