import { advance, type Cursor, START } from '../../journal/log/cursor.ts'
import type { Fault, Log, LogName, LogRecord, Recorded, Store } from '../../journal/log/store.ts'
import { apply } from '../../team/apply.ts'
import { readEvent, type TeamEvent } from '../../team/event.ts'
import { isName, nameKey } from '../../team/name.ts'
import { emptyState, type TeamState } from '../../team/state.ts'
import type { TimedLine } from '../wire/live-line.ts'
import { transcriptReader } from '../wire/transcript-line.ts'
import type { LogLine, PlayedLog } from './merge-logs.ts'

/** A log of a session, with its end as it was first read: what is written later is not played. */
export interface SessionLog {
  readonly name: LogName
  readonly team: string
  /** Whose transcript it is; undefined for a journal. */
  readonly agent: string | undefined
  end: number | undefined
}

/** The journals and transcripts of the session that this team belongs to, its own journal first. Nothing is written. */
export async function findLogs(store: Store, team: string): Promise<{ session: string; logs: SessionLog[] }> {
  const teams = await store.teams()
  const known = (name: string) => teams.find((other) => nameKey(other) === nameKey(name))
  const named = await membersIn(store, team)
  const leading = named.state.team.get()?.session ?? null
  const session = (leading === null ? undefined : known(leading)) ?? team
  const own = session === team ? named : await membersIn(store, session)
  const logs: SessionLog[] = []
  for (const name of [session, ...own.leads.flatMap((led) => known(led) ?? [])]) {
    const { members, end } = name === session ? own : await membersIn(store, name)
    logs.push({ name: `${name}/journal`, team: name, agent: undefined, end })
    for (const agent of members) logs.push({ name: `${name}/transcripts/${agent}`, team: name, agent, end: undefined })
  }
  return { session, logs }
}

interface Survey {
  readonly state: TeamState
  /** Everyone who ever had a transcript. */
  readonly members: readonly string[]
  /** Teams that its lead ever led. */
  readonly leads: readonly string[]
  readonly end: number
}

/** Folds without a handle of the team: that one would keep a snapshot. */
async function membersIn(store: Store, team: string): Promise<Survey> {
  const log = await store.log(`${team}/journal`)
  const state = emptyState()
  const members = new Map<string, string>([['lead', 'lead']])
  const leads = new Set<string>()
  try {
    const cursor = await readAll(log, undefined, ({ seq, record }) => {
      for (const event of apply(state, seq, record).events) {
        if (event.type === 'member.joined') members.set(nameKey(event.name), event.name)
        if (event.type === 'team.led') leads.add(event.team)
      }
    })
    for (const { name } of state.members.values()) members.set(nameKey(name), name)
    for (const led of state.leads.get()) leads.add(led)
    // Any program may have written a journal, and these become paths.
    const names = [...members.values()].filter(isName)
    return { state, members: names, leads: [...leads].filter(isName), end: cursor.seq }
  } finally {
    await log.close()
  }
}

async function readAll(log: Log, end: number | undefined, seen: (recorded: Recorded) => void): Promise<Cursor> {
  let cursor = START
  for (;;) {
    const batch = await log.read(cursor)
    if (batch.length === 0) return cursor
    for (const recorded of batch) {
      if (end !== undefined && recorded.seq > end) return cursor
      seen(recorded)
      cursor = advance(cursor, recorded)
    }
  }
}

/** A log that was opened to be played from its beginning. */
export interface OpenPlayedLog extends PlayedLog, AsyncDisposable {
  faults(): readonly Fault[]
}

/** Holds one batch of the log at a time. Sets the end of a log that has none yet. */
export async function openPlayedLog(store: Store, session: string, from: SessionLog): Promise<OpenPlayedLog> {
  const log = await store.log(from.name)
  const lineOf = from.agent === undefined ? journalLine(session, from.team) : transcriptLine(session, from.agent)
  let cursor = START
  let batch: readonly Recorded[] = []
  let at = 0
  let isOver = false

  async function nextRecord(): Promise<Recorded | undefined> {
    if (at === batch.length && !isOver) {
      batch = await log.read(cursor)
      at = 0
      isOver = batch.length === 0
      if (isOver) from.end ??= cursor.seq
    }
    const recorded = batch[at]
    if (!recorded || (from.end !== undefined && recorded.seq > from.end)) return undefined
    at++
    cursor = advance(cursor, recorded)
    return recorded
  }

  return {
    name: from.name,
    isJournal: from.agent === undefined,
    async next() {
      for (let recorded = await nextRecord(); recorded; recorded = await nextRecord()) {
        const line = lineOf(recorded)
        if (line) return line
      }
      return undefined
    },
    faults: () => log.faults(),
    [Symbol.asyncDispose]: () => log.close(),
  }
}

function journalLine(session: string, team: string): (recorded: Recorded) => LogLine {
  return ({ seq, record }) => {
    const { id } = record
    const at = typeof record.at === 'number' ? record.at : 0
    const by = authorOf(record)
    const values = Array.isArray(record.events) ? record.events : []
    const events = values.map(readEvent).filter((event): event is TeamEvent => typeof event === 'object')
    const line = {
      type: 'deskmates/record',
      session_id: session,
      agent: by.name,
      team,
      seq,
      id,
      at,
      by,
      events,
    } as const
    return {
      ...{ timed: { at, line }, rank: 1, id, reads: [] },
      sends: events.flatMap((event) =>
        event.type === 'message.sent' || event.type === 'external.received' ? event.message.id : [],
      ),
      follows: events.flatMap((event) =>
        event.type === 'message.delivered' && event.turn !== undefined
          ? [{ log: `${team}/transcripts/${event.member}`, id: event.turn }]
          : [],
      ),
    }
  }
}

type RecordLine = Extract<TimedLine['line'], { type: 'deskmates/record' }>

function authorOf({ by }: LogRecord): RecordLine['by'] {
  const { name, generation, epoch } = (by ?? {}) as Record<string, unknown>
  return {
    name: typeof name === 'string' ? name : 'user',
    ...(typeof generation === 'number' && { generation }),
    ...(typeof epoch === 'number' && { epoch }),
  }
}

function transcriptLine(session: string, agent: string): (recorded: Recorded) => LogLine | undefined {
  const lineOf = transcriptReader({ session, agent })
  return ({ record }) => {
    const timed = lineOf(record)
    if (!timed) return undefined
    const mail = Array.isArray(record.mail) ? record.mail.filter((id) => typeof id === 'string') : []
    return { timed, rank: record.result ? 2 : 0, id: record.id, sends: [], reads: mail, follows: [] }
  }
}
