import { openTeam } from '../../journal/team-handle.ts'
import { CONTROL_PROTOCOL, entryPath, readEntry } from '../../stores/files/identity/control-entry.ts'
import { pidIn, runsHere } from '../../stores/identity.ts'
import { TeamError } from '../../team/errors.ts'
import { nameKey } from '../../team/name.ts'
import type { Workspace } from '../../workspace.ts'
import { type ConnectedControl, connectControl, OtherVersion } from './connect-control.ts'

/** Why a session cannot be controlled from here, and what to do instead. */
export class NotReachable extends TeamError {
  readonly code = 'not_reachable'
}

/** Connects to the session of this team, or to the one that leads it, if a process of this machine runs it. */
export async function findControl(
  workspace: Pick<Workspace, 'store' | 'journalOf'>,
  team: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ConnectedControl> {
  const { store, journalOf } = workspace
  const known = (await store.teams()).find((name) => nameKey(name) === nameKey(team))
  if (known === undefined) throw new NotReachable(`There is no team ${team} here. See: deskmates sessions`)
  const { session, runtime } = await sessionOf(store, known)
  if (runtime === null || (await store.presence.look(runtime)) === 'dead')
    throw new NotReachable(`${session} is not running. Resume it: deskmates -r ${session}`)
  if (!runsHere(runtime))
    throw new NotReachable(
      `${session} runs on another host or in another container, which cannot be reached from here. Attach there, or write to it: deskmates send lead TEXT --team ${session}`,
    )
  const entry = readEntry(entryPath(env, journalOf(session)))
  if (entry?.runtime !== runtime)
    throw new NotReachable(
      `Process ${pidIn(runtime)} runs ${session} and cannot be controlled from here: it is not interactive, was started by an older version, or with another DESKMATES_STATE. See: deskmates status --team ${session}`,
    )
  if (entry.protocol !== CONTROL_PROTOCOL) throw new OtherVersion(session, entry.version)
  return connectControl(entry)
}

async function sessionOf(
  store: Workspace['store'],
  name: string,
): Promise<{ session: string; runtime: string | null }> {
  await using team = await openTeam(store, name)
  await team.refresh()
  const leading = team.state.team.get()?.session ?? null
  if (leading !== null && nameKey(leading) !== nameKey(name)) return sessionOf(store, leading)
  return { session: name, runtime: team.state.supervisor.get().runtime }
}
