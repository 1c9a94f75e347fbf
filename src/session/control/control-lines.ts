import type { SessionEvent } from '../../agent/session-event.ts'
import type { Clock } from '../../journal/clock.ts'
import type { TeamHandle } from '../../journal/team-handle.ts'
import { cleanValue } from '../../redaction/clean-value.ts'
import type { Redactor } from '../../redaction/redactor.ts'
import type { Applied } from '../../team/apply.ts'
import { dumpState } from '../../team/fold/snapshot.ts'
import { createDeltaLines } from '../wire/delta-lines.ts'
import { eventLine } from '../wire/lines.ts'
import type { LiveLine, TimedLine } from '../wire/live-line.ts'

type AnyLine = TimedLine['line']
type StateLine = Extract<LiveLine, { type: 'deskmates/state' }>

/** The lines of a session, in one order for all that read them. */
export interface ControlLines {
  write(line: AnyLine): void
  onEvent(event: SessionEvent): void
  onRecord(team: TeamHandle, applied: Applied): void
  /** A team that the readers do not know yet. */
  addTeam(team: TeamHandle): void
  subscribe(reader: LineReader, opening: Opening): () => void
  /** No line follows. */
  end(why: string): void
}

export interface LineReader {
  onLine(timed: TimedLine): void
  /** No line follows, for this reason. */
  onEnd(why: string): void
}

/** What a new reader gets first. */
export interface Opening {
  readonly init: AnyLine
  readonly teams: readonly TeamHandle[]
  /** Behind the states of the teams. */
  readonly rest: readonly AnyLine[]
}

interface Subscriber extends LineReader {
  /** By team: the last record that the state it got contains. */
  readonly known: Map<string, number>
  /** Lines that wait until it has its first ones. */
  waiting: TimedLine[] | undefined
}

export interface ControlLinesOptions {
  readonly session: string
  readonly clock: Clock
  readonly redactor: Redactor
}

export function createControlLines({ session, clock, redactor }: ControlLinesOptions): ControlLines {
  const subscribers = new Set<Subscriber>()
  const deltas = createDeltaLines(redactor, ({ agent, parent, kind, text }) =>
    deliver({ type: 'deskmates/delta', session_id: session, agent, parent_tool_use_id: parent, kind, text }),
  )
  /** Set while texts are being loaded: lines behind them wait, so that all readers get one order. */
  let loading: Promise<void> | undefined
  let ended: string | undefined

  function write(line: AnyLine): void {
    deltas.flush()
    inOrder(() => deliver(cleanValue(line, redactor)))
  }

  function inOrder(work: () => void): void {
    if (loading) enqueue(loading.then(work))
    else work()
  }

  /** Lines whose texts have to be loaded: where that fails they are written as they are. */
  function writeLoaded<T>(team: TeamHandle, value: T, lineOf: (loaded: T) => AnyLine): void {
    deltas.flush()
    const loaded = team.loadLongTexts(value).catch(() => value)
    enqueue((loading ?? Promise.resolve()).then(async () => deliver(cleanValue(lineOf(await loaded), redactor))))
  }

  function enqueue(next: Promise<void>): void {
    const last = next.finally(() => {
      if (loading === last) loading = undefined
    })
    loading = last
  }

  function deliver(line: AnyLine): void {
    const timed = { at: clock.now(), line }
    for (const subscriber of subscribers) give(subscriber, timed)
  }

  function give(subscriber: Subscriber, timed: TimedLine): void {
    const { line } = timed
    if (subscriber.waiting) return void subscriber.waiting.push(timed)
    if (line.type === 'deskmates/state') subscriber.known.set(line.team, line.seq)
    if (line.type === 'deskmates/record' && line.seq <= (subscriber.known.get(line.team) ?? 0)) return
    try {
      subscriber.onLine(timed)
    } catch {
      // A reader that fails is not read to any more; agents and other readers continue.
      subscribers.delete(subscriber)
    }
  }

  function stateOf(team: TeamHandle): StateLine {
    const base = { session_id: session, agent: 'lead', team: team.name } as const
    return { type: 'deskmates/state', ...base, seq: team.cursor.seq, state: dumpState(team.state) }
  }

  return {
    write,
    onEvent(event) {
      if (event.type === 'text' || event.type === 'reasoning') return deltas.add(event)
      // Records of teams have lines of their own.
      if (event.type === 'team' || event.type === 'limits') return
      deltas.end(event.agent)
      const line = event.type === 'tool_started' ? startedLine(event, session) : eventLine(event, session)
      if (line && line.type !== 'deskmates/team') write(line)
    },
    onRecord(team, { seq, id, at, by, events }) {
      if (id === '') return writeLoaded(team, stateOf(team), (state) => state)
      const base = { session_id: session, agent: by.name, team: team.name } as const
      writeLoaded(team, events, (events) => ({ type: 'deskmates/record', ...base, seq, id, at, by, events }))
    },
    addTeam: (team) => writeLoaded(team, stateOf(team), (state) => state),
    subscribe(reader, { init, teams, rest }) {
      if (ended !== undefined) {
        reader.onEnd(ended)
        return () => {}
      }
      deltas.flush()
      const subscriber: Subscriber = { ...reader, known: new Map(), waiting: [] }
      subscribers.add(subscriber)
      const at = clock.now()
      // Taken now, so that every later record is behind it; only its long texts may come from elsewhere.
      const states = teams.map((team) => {
        const state = stateOf(team)
        return team.loadLongTexts(state).catch(() => state)
      })
      void Promise.all(states).then((loaded) => {
        const waiting = subscriber.waiting ?? []
        subscriber.waiting = undefined
        const first = [init, ...loaded, ...rest].map((line) => ({ at, line: cleanValue(line, redactor) }))
        for (const timed of [...first, ...waiting]) if (subscribers.has(subscriber)) give(subscriber, timed)
      })
      return () => void subscribers.delete(subscriber)
    },
    end(why) {
      deltas.flush()
      inOrder(() => {
        ended = why
        for (const subscriber of subscribers) subscriber.onEnd(why)
        subscribers.clear()
      })
    },
  }
}

function startedLine(event: Extract<SessionEvent, { type: 'tool_started' }>, session_id: string): AnyLine {
  const { agent, parent = null, call } = event
  const { toolCallId: tool_use_id, toolName: name, input } = call
  const base = { session_id, agent, parent_tool_use_id: parent }
  return { type: 'deskmates/tool_started', ...base, tool_use_id, name, input }
}
