import { dirname, join } from 'node:path'
import { recordLostTurns } from '../../agent/transcript/repair-transcript.ts'
import { applyTurn, emptyTranscript } from '../../agent/transcript/transcript-fold.ts'
import type { Audited, Log, LogRecord, Store } from '../../journal/log/store.ts'
import { openTeam, type TeamHandle } from '../../journal/team-handle.ts'
import { callsIn } from '../../journal/transcripts/recorded-calls.ts'
import { realDisk } from '../../stores/files/disk.ts'
import { archiveName, cutTranscript } from '../../stores/files/log/repair.ts'
import { nameKey } from '../../team/name.ts'
import { roster } from '../../team/state.ts'
import type { Workspace } from '../../workspace.ts'
import type { Call } from '../program/context.ts'
import { Refused } from '../program/failure.ts'
import type { Problem } from './examine-journal.ts'

/** An agent's transcript, read line by line. */
export interface ExaminedTranscript {
  readonly member: string
  readonly path: string
  readonly problem: Problem | undefined
  /** Ids of the records before the damage. */
  readonly left: ReadonlySet<string>
  /** Records behind it that can still be read. */
  readonly removed: readonly LogRecord[]
  /** Lines from the damaged one on. */
  readonly removedLines: number
}

/** What was done about one of them. */
export interface RepairedTranscript {
  readonly member: string
  readonly archived: string | null
  readonly removed: number
  readonly returned: number
  readonly calls: readonly string[]
}

/** The transcripts of all agents of a team. The lead of a further team has its conversation in its session's team. */
export async function examineTranscripts(
  store: Store,
  team: TeamHandle,
  journal: string,
): Promise<ExaminedTranscript[]> {
  const isFurther = (team.state.team.get()?.session ?? null) !== null
  const agents = roster(team.state).filter(
    (member) => member.kind === 'agent' && !(isFurther && nameKey(member.name) === 'lead'),
  )
  const examined: ExaminedTranscript[] = []
  for (const { name } of agents) {
    const log = await store.log(`${team.name}/transcripts/${name}`)
    try {
      examined.push(await examineTranscript(log, name, team, pathOf(store, journal, name)))
    } finally {
      await log.close()
    }
  }
  return examined
}

function pathOf({ views: mirror }: Store, journal: string, name: string): string {
  if (mirror) return join(dirname(journal), 'transcripts', `${name}.jsonl`)
  return journal.replace(/journal$/, `transcripts/${name}`)
}

async function examineTranscript(
  log: Log,
  member: string,
  team: TeamHandle,
  path: string,
): Promise<ExaminedTranscript> {
  const state = emptyTranscript()
  const left = new Set<string>()
  const removed: LogRecord[] = []
  let problem: Problem | undefined
  let removedLines = 0
  let hasTurns = false
  let last = { line: 1, offset: 0 }
  const repair = `Run: deskmates check --repair --team ${team.name}`
  for await (const batch of log.audit()) {
    for (const { verdict, line, offset, record } of batch) {
      const why = problem ? undefined : whyBroken({ verdict, record })
      if (why !== undefined) {
        const kind = verdict === 'accepted' ? 'broken invariant' : verdict
        problem = { kind, path, line, offset, detail: verdict === 'needs newer' ? why : `${why}. ${repair}` }
      }
      if (problem) {
        if (verdict !== 'torn') removedLines++
        if (record) removed.push(record)
        continue
      }
      last = { line, offset }
      if (!record || verdict === 'torn') continue
      left.add(record.id)
      hasTurns ||= record.user !== undefined || record.assistant !== undefined
    }
  }
  const expects = team.state.transcripts.get(nameKey(member))
  const isLost = expects !== undefined && (expects === '' ? !hasTurns : !left.has(expects))
  if (!problem && isLost) problem = lost(left.size, expects)
  return { member, path, problem, left, removed, removedLines }

  function whyBroken({ verdict, record }: Pick<Audited, 'verdict' | 'record'>): string | undefined {
    if (verdict === 'needs newer') return 'a newer version of deskmates wrote it: install that one'
    if (verdict === 'damaged' || verdict === 'broken chain') return 'it is not what was written'
    if (!record) return undefined
    try {
      applyTurn(state, record)
      return undefined
    } catch (error) {
      return `record ${record.id} cannot be read as part of a conversation (${error instanceof Error ? error.message : error})`
    }
  }

  function lost(count: number, turn: string): Problem {
    const known =
      turn === '' ? 'the journal knows of model calls of this agent' : `the journal knows of its turn ${turn}`
    const what = count === 0 ? 'the transcript is missing or empty' : 'the transcript ends here'
    const detail = `${what}, but ${known}. Restore it from a copy, or continue without it. ${repair}`
    return { kind: count === 0 ? 'missing' : 'cut off', path, ...last, detail }
  }
}

/**
 * Keeps the lines before the damage and archives the rest. The journal first: mail of the removed turns becomes unread,
 * and agent and lead are informed, before a line is removed.
 */
export async function repairTranscripts(call: Call, workspace: Workspace, name: string): Promise<RepairedTranscript[]> {
  const { store, teamsFolder, journalOf } = workspace
  await using team = await openTeam(store, name, { clock: call.clock })
  await team.refresh()
  if (!team.state.team.get()) return []
  const repaired: RepairedTranscript[] = []
  for (const { member, path, problem, left, removed, removedLines } of await examineTranscripts(
    store,
    team,
    journalOf(name),
  )) {
    if (!problem) continue
    if (problem.kind === 'needs newer')
      throw new Refused({ code: 'needs_newer', message: `${path}: ${problem.detail}` })
    const isDamaged =
      problem.kind === 'damaged' || problem.kind === 'broken chain' || problem.kind === 'broken invariant'
    if (isDamaged && teamsFolder === undefined)
      throw new Refused({
        code: 'not_repairable',
        message: `${path} is damaged, and check does not repair a database: restore it from a backup.`,
      })
    const calls = callsIn(removed)
    const whole = realDisk.statSync(path)?.size ?? 0
    const archived = isDamaged ? archiveName(member) : null
    const where = `${path}:${problem.line} (byte ${problem.offset})`
    const what = isDamaged
      ? `was damaged (${where}) and repaired.`
      : `${problem.kind === 'missing' ? 'is missing or empty' : 'lost its end'} (${where}).`
    const further = nameKey(member) === 'lead' ? await furtherTeams(store, team) : []
    try {
      const lost = { member, left, what, calls, archived }
      const returned = await recordLostTurns(store, team, lost, further)
      if (archived !== null) cutTranscript(realDisk, path, problem.offset, whole, archived)
      repaired.push({ member, archived, removed: removedLines, returned, calls })
    } finally {
      for (const one of further) await one.close()
    }
  }
  return repaired
}

/** Mail to the lead in the teams it leads besides its own came into the same conversation. */
async function furtherTeams(store: Store, team: TeamHandle): Promise<TeamHandle[]> {
  const teams: TeamHandle[] = []
  for (const name of team.state.leads.get()) {
    const one = await openTeam(store, name)
    await one.refresh()
    if (one.state.team.get()) teams.push(one)
    else await one.close()
  }
  return teams
}
