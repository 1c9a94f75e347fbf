import type { Log } from '../../journal/log/store.ts'
import { faultText } from '../../journal/log/store-errors.ts'
import { checkMemberToken } from '../../journal/member-token.ts'
import { openTeam, type TeamHandle } from '../../journal/team-handle.ts'
import { createEraser } from '../../redaction/eraser.ts'
import { findMemberToken } from '../../stores/files/identity/member-tokens.ts'
import { isPresent, type Member } from '../../team/members/member.ts'
import { isSessionId } from '../../team/members/session-id.ts'
import { isName, nameKey, nameRule } from '../../team/name.ts'
import { refuse } from '../../team/refusal.ts'
import { refusalText } from '../../team/refusal-text.ts'
import { presentMembers, unknownMember } from '../../team/rights.ts'
import { memberNamed, type TeamState } from '../../team/state.ts'
import { counted } from '../../team/wording.ts'
import type { Workspace } from '../../workspace.ts'
import { warn } from '../output/print.ts'
import type { Call } from '../program/context.ts'
import { Misused, Refused, refused } from '../program/failure.ts'
import { createOnWrite } from './create-on-write.ts'
import { openStore } from './open-store.ts'

/** The only team that its first write creates. */
export const DEFAULT = 'default'

/**
 * read    only reads; the default team is empty while it does not exist
 * write   changes an existing team
 * create  the same, and creates the default team if it is missing
 */
export type Intent = 'read' | 'write' | 'create'

/** Opens the team this call means, folded to its end, and closes it after the work. */
export async function withTeam<T>(
  call: Call,
  intent: Intent,
  work: (team: TeamHandle, workspace: Workspace) => Promise<T>,
  named?: string,
): Promise<T> {
  await using workspace = await openStore(call)
  const name = await resolveTeam(call, workspace, intent, named)
  const isDefault = nameKey(name) === DEFAULT
  const team = await openFolded(call, workspace, name, intent === 'create' && isDefault)
  try {
    await warnOfFaults(call, team.log)
    const isNew = intent === 'create' && isDefault && !team.state.team.get()
    const result = await work(isNew ? createOnWrite(team, () => call.clock.now()) : team, workspace)
    if (intent !== 'read' && team.state.plans.size > 0) await showSummaries(call, team, workspace)
    return result
  } finally {
    // The journal has the change; views that could not be updated do not make the command fail.
    await team.close().catch((error) => warn(call, `The views of the journal are not up to date: ${error.message}`))
  }
}

/** A command may end or reopen the last task of a plan. */
async function showSummaries(call: Call, team: TeamHandle, { workspace }: Workspace): Promise<void> {
  const { writeSummaries } = await import('../../session/plan/summary-files.ts')
  for (const message of await writeSummaries(team, workspace)) await warn(call, message)
}

/** A team whose deletion a crash interrupted is archived first, if a new one may be created. */
export async function openFolded(
  call: Call,
  { store }: Workspace,
  name: string,
  mayBegin: boolean,
): Promise<TeamHandle> {
  for (;;) {
    const team = await openTeam(store, name, { clock: call.clock, eraser: createEraser(call.env) })
    try {
      await team.refresh()
      if (!mayBegin || !team.state.team.get()?.deleted) return team
    } catch (error) {
      await team.close()
      throw error
    }
    await team.close()
    await store.remove(name, false)
  }
}

/** The team that the command line or the environment names. */
export function wantedTeam({ globals, env }: Call, named?: string): string {
  const wanted = named ?? globals.team ?? (env.DESKMATES_TEAM || DEFAULT)
  if (!isName(wanted)) throw new Misused(`DESKMATES_TEAM: ${nameRule(wanted)}`)
  return wanted
}

export async function resolveTeam(call: Call, { store }: Workspace, intent: Intent, named?: string): Promise<string> {
  const wanted = wantedTeam(call, named)
  const teams = await store.teams()
  const found = teams.find((team) => nameKey(team) === nameKey(wanted))
  if (found) return found
  if (nameKey(wanted) === DEFAULT && intent !== 'write') return DEFAULT
  throw unknownTeam(wanted, teams, named === undefined ? undefined : LIST)
}

/** Throws if the team does not exist, or was deleted and not archived yet. */
export async function requireTeam(
  call: Call,
  { state }: TeamHandle,
  { store }: Workspace,
  named?: string,
): Promise<void> {
  const team = state.team.get()
  if (team && !team.deleted) return
  throw unknownTeam(
    wantedTeam(call, named),
    (await store.teams()).filter((name) => name !== team?.name),
    named === undefined ? undefined : LIST,
  )
}

/** The next step where only an existing team can be meant: to show, delete or trust it. */
export const LIST = 'See: deskmates team list'

export function unknownTeam(
  wanted: string,
  teams: readonly string[],
  // A user who named no team has perhaps forgotten to.
  next = nameKey(wanted) === DEFAULT && teams.length > 0
    ? 'Name one with --team.'
    : `Make it with: deskmates team create ${wanted}`,
): Refused {
  const others = teams.length > 0 ? `Teams here: ${inWords(teams)}.` : 'There are no teams here yet.'
  const message = `There is no team ${wanted}. ${others} ${next}`
  return new Refused({ code: 'unknown_team', message })
}

/** Sessions are only counted: a folder has many, and `deskmates sessions` lists them with date and title. */
function inWords(teams: readonly string[]): string {
  const named = teams.filter((team) => !isSessionId(team))
  const sessions = teams.length - named.length
  return [...named, ...(sessions > 0 ? [`${counted(sessions, 'session')} (deskmates sessions)`] : [])].join(', ')
}

/** Reading continues past damage, but never silently. */
export async function warnOfFaults(call: Call, log: Log): Promise<void> {
  const [fault, ...more] = log.faults().filter(({ kind }) => kind !== 'torn')
  if (!fault) return
  const others = more.length > 0 ? ` (and ${more.length} more)` : ''
  const where = `${fault.path}:${fault.line} (byte ${fault.offset})`
  await warn(call, `${where}: ${fault.kind}: ${faultText(fault)}${others}. See: deskmates check`)
}

/**
 * The author of a command. Only the user and joined scripts and people act from a command line: with an agent's name
 * any process could act as that agent.
 */
export async function acting(call: Call, team: TeamHandle, as: string | undefined) {
  const { commandId } = call.globals
  if (as === undefined || nameKey(as) === 'user') return { by: { name: 'user' }, commandId }
  requireToken(call, team.state, as)
  // A repeated command gets its first answer even if its author has left since.
  if (commandId !== undefined && (await team.log.knows(commandId))) return { by: { name: as }, commandId }
  return { by: { name: joined(call, team.state, as).name }, commandId }
}

/** Throws unless the caller has the token of this member; the team may have members without one. */
function requireToken({ env }: Call, state: TeamState, name: string): void {
  const refusal = checkMemberToken(state, name, findMemberToken(env, state, name))
  if (refusal) throw refused(refusal)
}

/** The flag by which a further command names the same team: '' or ` --team NAME`. */
export function teamFlag({ env }: Call, { team }: TeamState): string {
  const name = team.get()?.name ?? DEFAULT
  return nameKey(name) === nameKey(env.DESKMATES_TEAM || DEFAULT) ? '' : ` --team ${name}`
}

function joined(call: Call, state: TeamState, as: string): Member {
  const member = memberNamed(state, as)
  if (member && member.kind !== 'agent') return member
  const rule = '--as and --from take a joined external or human member, or user'
  if (member) {
    const message = `${member.name} is an agent of this team and acts through its own tools; ${rule}.`
    throw new Refused({ code: 'not_allowed', message })
  }
  const message = `${refusalText(unknownMember(state, as))} Join first: deskmates team join ${as} --role ROLE${teamFlag(call, state)} (${rule}).`
  throw new Refused({ code: 'unknown_member', message })
}

/** Who takes the mail of a member: a script or person itself, with its token; for an agent and for itself the user. */
export function takingMail(call: Call, team: TeamHandle, member: string) {
  const isOwn = memberNamed(team.state, member)?.kind !== 'agent'
  return acting(call, team, isOwn ? member : undefined)
}

/** A member whose mail or tasks are shown: any present member, or the user. */
export function presentMember(state: TeamState, name: string): string {
  if (nameKey(name) === 'user') return 'user'
  const member = memberNamed(state, name)
  if (member && isPresent(member)) return member.name
  throw refused(
    member
      ? refuse('member_stopped', { problem: 'recipient', member: member.name, members: presentMembers(state) })
      : unknownMember(state, name),
  )
}
