import { dirname } from 'node:path'
import { ulid } from 'ulid'
import type { LogRecord } from '../ports/store.ts'
import { openTeam, USER } from '../runtime/team.ts'
import { realDisk } from '../stores/files/disk.ts'
import { removeSnapshot, replaceJournal } from '../stores/files/repair.ts'
import { UntrustedJournal } from '../stores/files/trust.ts'
import { applyEvent } from '../team/apply.ts'
import type { Json } from '../team/json.ts'
import { restorations } from '../team/restoration.ts'
import { dumpState } from '../team/snapshot.ts'
import { FOLD_VERSION } from '../team/state.ts'
import type { Workspace } from '../workspace.ts'
import type { Call } from './context.ts'
import { type Examined, examine, journalOf, type Problem } from './examine.ts'
import { EXIT, Refused } from './failure.ts'
import { openStore } from './open-store.ts'
import { resolveTeam } from './open-team.ts'
import { print, printJson } from './print.ts'
import { counted } from './screen.ts'
import type { SubCommand } from './sub-command.ts'
import { refuseLiveSupervisor } from './team-delete.ts'

export const check: SubCommand<{ repair?: boolean }> = {
  example: `$ deskmates check
/home/ada/shop/.teams/default/journal.jsonl: 12 records count, 1 refused, 0 repeated, 0 torn
All is well.`,
  instead: ({ repair }) => (repair ? 'A journal is repaired by a person.' : undefined),
  define(command) {
    command.option('--repair', 'build views and snapshot again; a broken journal is put aside and a new one begun')
  },
  async run(call, { repair = false }) {
    await using place = await openStore(call)
    const team = await resolveTeam(call, place, 'read')
    const found = await look(call, place, team)
    if (!repair) {
      await report(call, team, found)
      return found.examined.problems.length > 0 ? EXIT.failed : EXIT.done
    }
    const repaired = await mend(call, place, team, found.examined)
    const left = await look(call, place, team)
    await report(call, team, left, repaired)
    return left.examined.problems.length > 0 ? EXIT.failed : EXIT.done
  },
}

interface Found {
  readonly examined: Examined
  /** Files beside the journal that do not show what it says. Harmless: whoever writes next brings them up to date. */
  readonly views: readonly string[]
}

async function look(call: Call, { store, root }: Workspace, name: string): Promise<Found> {
  const log = await store.log(`${name}/journal`)
  const examined = await examine(log, root, name)
  await log.close()
  const mirror = store.mirror?.(name)
  if (!mirror || !examined.state.team.get()) return { examined, views: [] }
  await using team = await openTeam(store, name, { clock: call.clock })
  const shown = await mirror.shownTo()
  await team.refresh()
  const { seq } = team.cursor
  const cut = shown > seq && examined.problems.length === 0 ? [lostItsEnd(examined.path, seq, shown)] : []
  const problems = [...examined.problems, ...cut]
  return { examined: { ...examined, problems }, views: await mirror.differences(team.state, team.cursor) }
}

/** Views are written from the journal, so whatever they show was once in it. */
function lostItsEnd(path: string, ends: number, shown: number): Problem {
  const detail = `the journal ends here, but its views have shown it up to byte ${shown}: its end was lost. Put it back from a copy, or go on without it: deskmates check --repair`
  return { path, kind: 'cut off', line: 0, offset: ends, detail }
}

async function report(call: Call, team: string, { examined, views }: Found, repaired?: Repaired): Promise<void> {
  const { path, counts, problems } = examined
  const { accepted, ...others } = counts
  if (call.globals.json) {
    return printJson(call, {
      team,
      path,
      ok: problems.length === 0,
      records: accepted,
      ...others,
      problems,
      views,
      ...(repaired && { repaired }),
    })
  }
  const { refused, repeated, torn } = others
  const lines = [
    `${path}: ${counted(accepted, 'record counts', 'records count')}, ${refused} refused, ${repeated} repeated, ${torn} torn`,
  ]
  for (const { kind, line, offset, detail, path } of problems)
    lines.push(`${path}:${line} (byte ${offset}): ${kind}: ${detail}`)
  for (const view of views) lines.push(`to be built again: ${view}`)
  if (repaired?.damaged)
    lines.push(`The broken journal is now ${repaired.damaged}. Lost: ${counted(repaired.lost.length, 'line')}.`)
  for (const line of repaired?.lost ?? []) lines.push(`  ${line}`)
  if (repaired) lines.push('Views and snapshot were built again.')
  const isWhole = problems.length === 0 && (repaired?.lost.length ?? 0) === 0
  if (problems.length === 0 && !isWhole) lines.push('What is left is in order; the lines above no longer count.')
  else lines.push(problems.length === 0 ? 'All is well.' : `${counted(problems.length, 'problem')}.`)
  await print(call, `${lines.join('\n')}\n`)
}

interface Repaired {
  /** The name of the broken journal's file now; null if it was whole. */
  readonly damaged: string | null
  readonly lost: readonly string[]
}

async function mend(call: Call, place: Workspace, name: string, examined: Examined): Promise<Repaired> {
  const { store } = place
  const isBroken = examined.problems.some(({ kind }) => kind === 'damaged' || kind === 'broken chain')
  const newer = examined.problems.find(({ kind }) => kind === 'needs newer')
  if (newer) throw new Refused({ refused: 'needs_newer', message: `${newer.path}:${newer.line}: ${newer.detail}` })
  if (examined.first !== undefined && !place.trust.isTeamTrusted(examined.first))
    throw new UntrustedJournal(examined.path, name)
  await refuseLiveSupervisor({ name, state: examined.state }, store.presence, 'Stop it first, then repair.')
  const damaged = isBroken ? await beginAnew(call, place, name) : null
  removeSnapshot(realDisk, dirname(examined.path))
  await using team = await openTeam(store, name, { clock: call.clock })
  await team.refresh()
  if (team.state.team.get()) {
    await team.log.save(FOLD_VERSION, team.cursor, () => dumpState(team.state))
    await store.mirror?.(name).repair(team.state, team.cursor)
  }
  return { damaged, lost: isBroken ? examined.lost : [] }
}

/** Examines once more, so that the new journal stands on exactly the bytes that are put aside. */
async function beginAnew({ clock }: Call, { store, trust, root }: Workspace, name: string): Promise<string> {
  const log = await store.log(`${name}/journal`)
  const size = realDisk.statSync(journalOf(root, name))?.size ?? 0
  const { path, state, lost } = await examine(log, root, name)
  await log.close()
  const at = clock.now()
  let id = state.team.get()?.id
  if (id === undefined) {
    // Not even the first line can be read, so the team's id is gone with it: it gets a new one.
    id = ulid()
    applyEvent(state, { type: 'team.created', team: name, description: '' }, { seq: 0, id, at, by: USER }, [])
    trust.trustTeam(id, name, path)
  }
  return replaceJournal(realDisk, dirname(path), size, (from) => {
    const events = restorations(state).map((piece, i) => ({
      type: 'team.restored',
      state: piece,
      lost: i === 0 ? shortened(lost) : [],
      from,
    }))
    return chained(id, events, { at, by: { ...USER }, command: 'check.repair' })
  })
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
