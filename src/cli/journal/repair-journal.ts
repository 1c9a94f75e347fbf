import { dirname } from 'node:path'
import { ulid } from 'ulid'
import type { LogRecord } from '../../journal/store.ts'
import { openTeam, USER } from '../../journal/team-handle.ts'
import { realDisk } from '../../stores/files/disk.ts'
import { UntrustedJournal } from '../../stores/files/identity/trust.ts'
import { removeSnapshot, replaceJournal } from '../../stores/files/log/repair.ts'
import { cedeTeam, leadingSession } from '../../supervisor/leading-session.ts'
import { apply, applyEvent } from '../../team/apply.ts'
import type { Json } from '../../team/json.ts'
import { restorations } from '../../team/restoration.ts'
import { dumpState } from '../../team/snapshot.ts'
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

/** Builds views and snapshot again; a broken journal is put aside, and a new one begins with all that still counts. */
export async function mend(call: Call, place: Workspace, name: string, examined: Examined): Promise<Repaired> {
  const { store } = place
  const newer = examined.problems.find(({ kind }) => kind === 'needs newer')
  if (newer) throw new Refused({ code: 'needs_newer', message: `${newer.path}:${newer.line}: ${newer.detail}` })
  if (examined.first !== undefined && !place.trust.isTeamTrusted(examined.first))
    throw new UntrustedJournal(examined.path, name)
  await refuseLiveSupervisor({ name, state: examined.state }, store.presence, 'Stop it first, then repair.')
  if (examined.isBroken && place.teamsFolder === undefined) throw new Refused(notHere(examined.path))
  const isCut = examined.problems.some(({ kind }) => kind === 'cut off' || kind === 'missing')
  if (isCut && !examined.isBroken && !examined.state.team.get()) {
    // Nothing of the team is left to build views from: what lies beside the journal is all there is of it.
    const session = await leadingSession(store, name)
    if (session !== undefined) await cedeTeam(store, session, name, 'its journal was lost, and the user gave it up.')
    await store.remove(name, false)
    return { damaged: null, lost: [NOTHING_LEFT], kept: 0 }
  }
  const repaired = examined.isBroken ? await beginAnew(call, place, name) : { damaged: null, lost: [], kept: 0 }
  if (place.teamsFolder !== undefined) removeSnapshot(realDisk, dirname(examined.path))
  await using team = await openTeam(store, name, { clock: call.clock })
  await team.refresh()
  if (team.state.team.get()) {
    await team.log.save(FOLD_VERSION, team.cursor, () => dumpState(team.state))
    await store.views?.(name).repair(team.state, team.cursor)
  }
  return repaired
}

/**
 * Examines once more, so that the new journal stands on exactly the bytes that are put aside: the state as far as it
 * could be read, and behind it, as they were written, the facts from behind a broken chain.
 */
async function beginAnew({ clock }: Call, { store, trust, journalOf }: Workspace, name: string): Promise<Repaired> {
  const log = await store.log(`${name}/journal`)
  const size = realDisk.statSync(journalOf(name))?.size ?? 0
  const { path, state, lost, beyond } = await examine(log, journalOf(name))
  await log.close()
  const at = clock.now()
  let id = state.team.get()?.id
  if (id === undefined) {
    // Not even the first line can be read, so the team's id is gone with it: it gets a new one.
    id = ulid()
    const session = await leadingSession(store, name)
    const made = { type: 'team.created', team: name, description: '', session: session ?? null } as const
    applyEvent(state, made, { seq: 0, id, at, by: USER }, [])
    trust.trustTeam(id, name, path)
  }
  const newest = await newestGenerations(store, realDisk, { team: name, journal: path })
  const pieces = restorations(state)
  // What a fact means is worked out at its new place: who joined by a decision that is lost, is not there.
  const bounced = beyond.flatMap((fact) => bounces(fact, apply(state, fact.seq, fact.record)))
  // Behind those facts: what an older generation wrote counts.
  const { events: raised, unknown } = alignGenerations(state, newest)
  const gone = [
    ...lost,
    ...bounced,
    ...unknown.map((agent) => `the transcript of ${agent}, whom the journal does not know any more: it is archived`),
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
      ...(gone.length > 0 ? [letterToLead(gone, from, at)] : []),
    ]
  })
  archiveTranscripts(realDisk, path, unknown)
  return { damaged, lost: gone, kept: beyond.length }
}

/** The lead goes on with a board that lacks something: it is told what, or it would take what is left for all there is. */
function letterToLead(lost: readonly string[], from: string, at: number): LogRecord {
  const id = ulid()
  const more = lost.length > MOST_TOLD ? [`and ${lost.length - MOST_TOLD} more`] : []
  const content = [
    `The journal of this team was damaged and was repaired. The damaged journal is kept in ${from}. Lost, and no longer true:`,
    ...[...lost.slice(0, MOST_TOLD), ...more].map((line) => `- ${line}`),
    'Compare board, teammates and mail with what you know, and create again what is missing and still wanted.',
  ].join('\n')
  const message = { id: `${id}.repair.lead`, type: 'error', from: 'user', to: 'lead', content, timestamp: at }
  return { id, at, by: { ...USER }, command: 'check.repair', events: [{ type: 'message.sent', message }] }
}

const MOST_TOLD = 50

const NOTHING_LEFT = 'all of it: the journal was empty or gone. What lay beside it is in .teams/.deleted now'

function notHere(path: string): { code: string; message: string } {
  const message = `${path} is broken, and a database is not repaired from here: put it back from a backup.`
  return { code: 'not_repairable', message }
}

/** The first record has the team's id, as in the journal before: whoever trusted that one trusts this one. */
function chained(first: string, events: readonly Json[], about: { readonly [key: string]: Json }): LogRecord[] {
  const ids = events.map((_, i) => (i === 0 ? first : ulid()))
  return events.map((event, i) => ({ id: ids[i]!, after: ids[i - 1] ?? '', ...about, events: [event] }))
}

function shortened(lost: readonly string[]): string[] {
  return lost.length <= MOST_LOST
    ? [...lost]
    : [...lost.slice(0, MOST_LOST), `and ${lost.length - MOST_LOST} more lines, to be found in the damaged file`]
}

const MOST_LOST = 1000
