import { dirname } from 'node:path'
import { ulid } from 'ulid'
import type { LogRecord } from '../../journal/log/store.ts'
import { openTeam, USER } from '../../journal/team-handle.ts'
import { realDisk } from '../../stores/files/disk.ts'
import { UntrustedJournal } from '../../stores/files/identity/trust.ts'
import { removeSnapshot, replaceJournal } from '../../stores/files/log/repair.ts'
import { giveUpTeam, leadingSession } from '../../supervisor/lead/leading-session.ts'
import { apply, applyEvent } from '../../team/apply.ts'
import type { Json } from '../../team/data/json.ts'
import { restorations } from '../../team/fold/restoration.ts'
import { dumpState } from '../../team/fold/snapshot.ts'
import { FOLD_VERSION } from '../../team/state.ts'
import type { Workspace } from '../../workspace.ts'
import type { Call } from '../program/context.ts'
import { Refused } from '../program/failure.ts'
import { refuseLiveSupervisor } from '../workspace/refuse-live-supervisor.ts'
import { bounces, type Examined, examine } from './examine-journal.ts'
import { alignGenerations, archiveTranscripts, newestGenerations } from './transcript-generations.ts'

export interface Repaired {
  /** The name of the broken journal's file now; null if it was whole. */
  readonly damaged: string | null
  readonly lost: readonly string[]
  /** How many facts stood behind a broken chain and count again. */
  readonly kept: number
}

/** Rebuilds views and snapshot. A damaged journal is kept under another name, and a new one starts with all that still counts. */
export async function repairJournal(
  call: Call,
  workspace: Workspace,
  name: string,
  examined: Examined,
): Promise<Repaired> {
  const { store } = workspace
  const newer = examined.problems.find(({ kind }) => kind === 'needs newer')
  if (newer) throw new Refused({ code: 'needs_newer', message: `${newer.path}:${newer.line}: ${newer.detail}` })
  if (examined.first !== undefined && !workspace.trust.isTeamTrusted(examined.first))
    throw new UntrustedJournal(examined.path, name)
  await refuseLiveSupervisor({ name, state: examined.state }, store.presence, 'Stop it first, then repair.')
  if (examined.isBroken && workspace.teamsFolder === undefined) throw new Refused(notHere(examined.path))
  const isCut = examined.problems.some(({ kind }) => kind === 'cut off' || kind === 'missing')
  if (isCut && !examined.isBroken && !examined.state.team.get()) {
    // Nothing of the team is left to build views from: only the files beside the journal remain.
    const session = await leadingSession(store, name)
    if (session !== undefined) await giveUpTeam(store, session, name, 'its journal was lost, and the user gave it up.')
    await store.remove(name, false)
    return { damaged: null, lost: [NOTHING_LEFT], kept: 0 }
  }
  const repaired = examined.isBroken ? await beginAnew(call, workspace, name) : { damaged: null, lost: [], kept: 0 }
  if (workspace.teamsFolder !== undefined) removeSnapshot(realDisk, dirname(examined.path))
  await using team = await openTeam(store, name, { clock: call.clock })
  await team.refresh()
  if (team.state.team.get()) {
    await team.log.save(FOLD_VERSION, team.cursor, () => dumpState(team.state))
    await store.views?.(name).repair(team.state, team.cursor)
  }
  return repaired
}

/**
 * Examines the journal once more, so that the new one is made from exactly the bytes that are archived: the state as
 * far as it could be read, then the facts from behind a broken chain, unchanged.
 */
async function beginAnew({ clock }: Call, { store, trust, journalOf }: Workspace, name: string): Promise<Repaired> {
  const log = await store.log(`${name}/journal`)
  const size = realDisk.statSync(journalOf(name))?.size ?? 0
  const { path, state, lost, beyond } = await examine(log, journalOf(name))
  await log.close()
  const at = clock.now()
  let id = state.team.get()?.id
  if (id === undefined) {
    // Not even the first line can be read, and with it the team's id is lost: the team gets a new one.
    id = ulid()
    const session = await leadingSession(store, name)
    const made = { type: 'team.created', team: name, description: '', session: session ?? null } as const
    applyEvent(state, made, { seq: 0, id, at, by: USER }, [])
    trust.trustTeam(id, name, path)
  }
  const newest = await newestGenerations(store, realDisk, { team: name, journal: path })
  const pieces = restorations(state)
  // A fact is folded at its new position: a member that joined by a lost decision is missing there.
  const bounced = beyond.flatMap((fact) => bounces(fact, apply(state, fact.seq, fact.record)))
  // After those facts, so that what an older generation wrote still counts.
  const { events: raised, unknown } = alignGenerations(state, newest)
  const gone = [
    ...lost,
    ...bounced,
    ...unknown.map((agent) => `the transcript of ${agent}, which the journal no longer knows: it is archived`),
  ]
  const damaged = replaceJournal(realDisk, dirname(path), size, (from) => {
    const events = pieces.map((state, i) => ({
      type: 'team.restored',
      state,
      lost: i === 0 ? shortened(gone) : [],
      from,
    }))
    const about = { at, by: { ...USER }, command: 'check.repair' }
    const restored = chained(id, events, about)
    const after = restored.at(-1)!.id
    return [
      ...restored,
      ...beyond.map(({ record }) => record),
      ...(raised.length > 0 ? [{ id: ulid(), after, ...about, events: raised as unknown as Json }] : []),
      ...(gone.length > 0 ? [messageToLead(gone, from, at)] : []),
    ]
  })
  archiveTranscripts(realDisk, path, unknown)
  return { damaged, lost: gone, kept: beyond.length }
}

/** Tells the lead what is lost: otherwise it would take the remaining board for the whole one. */
function messageToLead(lost: readonly string[], from: string, at: number): LogRecord {
  const id = ulid()
  const more = lost.length > MAX_LISTED_TO_LEAD ? [`and ${lost.length - MAX_LISTED_TO_LEAD} more`] : []
  const content = [
    `The journal of this team was damaged and was repaired. The damaged journal is kept in ${from}. Lost, and no longer true:`,
    ...[...lost.slice(0, MAX_LISTED_TO_LEAD), ...more].map((line) => `- ${line}`),
    'Compare board, teammates and mail with what you know, and create again what is missing and still wanted.',
  ].join('\n')
  const message = { id: `${id}.repair.lead`, type: 'error', from: 'user', to: 'lead', content, timestamp: at }
  return { id, at, by: { ...USER }, command: 'check.repair', events: [{ type: 'message.sent', message }] }
}

const MAX_LISTED_TO_LEAD = 50

const NOTHING_LEFT = 'everything: the journal was empty or missing. The files beside it are in .teams/.deleted now'

function notHere(path: string): { code: string; message: string } {
  const message = `${path} is damaged, and check does not repair a database: restore it from a backup.`
  return { code: 'not_repairable', message }
}

/** The first record keeps the team's id, so that trust in the old journal applies to the new one. */
function chained(first: string, events: readonly Json[], about: { readonly [key: string]: Json }): LogRecord[] {
  const ids = events.map((_, i) => (i === 0 ? first : ulid()))
  return events.map((event, i) => ({ id: ids[i]!, after: ids[i - 1] ?? '', ...about, events: [event] }))
}

function shortened(lost: readonly string[]): string[] {
  return lost.length <= MAX_LISTED
    ? [...lost]
    : [...lost.slice(0, MAX_LISTED), `and ${lost.length - MAX_LISTED} more lines, which the damaged file holds`]
}

const MAX_LISTED = 1000
