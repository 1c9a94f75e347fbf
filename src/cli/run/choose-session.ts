import { openTeam } from '../../journal/team-handle.ts'
import { newestSession } from '../../session/session-id.ts'
import { SessionTaken } from '../../supervisor/lead/take-lead.ts'
import { isSessionId } from '../../team/members/session-id.ts'
import { nameKey } from '../../team/name.ts'
import type { Workspace } from '../../workspace.ts'
import type { Call } from '../program/context.ts'
import { Misused, Refused } from '../program/failure.ts'
import { DEFAULT, unknownTeam, wantedTeam } from '../workspace/open-team.ts'
import type { RunOptions } from './options.ts'

export interface WantedSession {
  /** The session to open; undefined: a new one that is named by the time. */
  readonly team: string | undefined
  /** It is made now. */
  readonly isNew: boolean
  /** The session whose conversation is copied. */
  readonly forkOf?: string | undefined
}

/** The session that the options resume, name or copy. */
export async function wantedSession(call: Call, options: RunOptions, workspace: Workspace): Promise<WantedSession> {
  const { sessionId: team, forkSession } = options
  const isResumed = options.continue === true || options.resume !== undefined
  if (forkSession && !isResumed)
    throw new Misused('--fork-session copies the session that -c or -r names. Add one of them.')
  if (team === undefined && !forkSession) {
    const chosen = await chooseSession(call, options, workspace)
    return { team: chosen, isNew: chosen === undefined }
  }
  if (!forkSession && (isResumed || call.globals.team !== undefined))
    throw new Misused(
      `--session-id names a new session, and ${isResumed ? '-c and -r resume one' : '--team names one'}. Use one of them${isResumed ? ', or add --fork-session' : ''}.`,
    )
  if (team !== undefined && (await workspace.store.teams()).some((one) => nameKey(one) === nameKey(team)))
    throw new SessionTaken(team)
  const forkOf = forkSession ? await chooseSession(call, options, workspace) : undefined
  return { team, isNew: true, ...(forkOf !== undefined && { forkOf }) }
}

/** The session that `-c`, `-r` or `--team` names; undefined: a new one. */
export async function chooseSession(
  call: Call,
  options: RunOptions,
  workspace: Workspace,
): Promise<string | undefined> {
  const given = [options.continue && '-c', options.resume && '-r', call.globals.team && '--team'].filter(Boolean)
  if (options.resume === true)
    throw new Misused('-r needs a session: deskmates sessions lists them. The newest of this folder is: -c')
  if (given.length > 1) throw new Misused(`${given.join(' and ')} each name a session. Use one of them.`)
  if (options.continue) {
    const newest = await newestSession(workspace)
    if (newest !== undefined) return newest
    const message = "There is no session in this folder yet. Start one: deskmates -p 'what to do'"
    throw new Refused({ code: 'no_session', message })
  }
  if (options.resume === undefined && call.globals.team === undefined && !call.env.DESKMATES_TEAM) return undefined
  const wanted = wantedTeam(call, options.resume)
  const teams = await workspace.store.teams()
  const found = teams.find((team) => nameKey(team) === nameKey(wanted))
  if (found !== undefined) return sessionLeading(workspace, found)
  if (options.resume !== undefined)
    throw unknownTeam(
      wanted,
      teams.filter((team) => !isSessionId(team)),
      'See: deskmates sessions',
    )
  if (nameKey(wanted) !== DEFAULT) throw unknownTeam(wanted, teams)
  return DEFAULT
}

/** A further team is resumed by the session that leads it. */
async function sessionLeading({ store }: Workspace, name: string): Promise<string> {
  await using team = await openTeam(store, name)
  await team.refresh()
  return team.state.team.get()?.session ?? name
}
