import type { TimedLine } from '../wire/live-line.ts'

/** A line of one log, and what it shares with lines of other logs. */
export interface LogLine {
  readonly timed: TimedLine
  /** Of the same moment: turns first, then what the journal says, then results of calls. */
  readonly rank: 0 | 1 | 2
  /** The record that holds it. */
  readonly id: string
  /** Messages that it sends. */
  readonly sends: readonly string[]
  /** Messages that were sent before it. */
  readonly reads: readonly string[]
  /** Turns of transcripts that were written before it. */
  readonly follows: readonly { readonly log: string; readonly id: string }[]
}

/** A log that is played. Its lines come in their own order. */
export interface PlayedLog {
  readonly name: string
  readonly isJournal: boolean
  next(): Promise<LogLine | undefined>
}

interface Head {
  readonly log: PlayedLog
  readonly line: LogLine
  /** Never before an earlier line of the same log, whatever a clock said. */
  readonly at: number
}

/** Clocks of several machines differ by less. A line waits for another one only within this time. */
const MAX_CLOCK_DIFFERENCE_S = 300
/** Messages and turns that are remembered until their other half comes. */
const MAX_REMEMBERED = 100_000

/**
 * The lines of several logs in one order: each log in its own, between logs by time. A turn that reads a message never comes
 * before the message was sent, nor the record of its delivery before the turn, though their clocks may say so.
 */
export async function* mergeLogs(logs: readonly PlayedLog[]): AsyncGenerator<LogLine & { readonly at: number }, void> {
  const heads = new Map<string, Head>()
  const sent = new Set<string>()
  const written = new Set<string>()
  for (const log of logs) await advance(log, 0)

  async function advance(log: PlayedLog, since: number): Promise<void> {
    const line = await log.next()
    if (line) heads.set(log.name, { log, line, at: Math.max(since, line.timed.at) })
    else heads.delete(log.name)
  }

  /** What has to come before this line. */
  function awaited({ line, at }: Head): Head | undefined {
    if (line.reads.some((id) => !sent.has(id))) {
      const journal = earliest([...heads.values()].filter(({ log }) => log.isJournal))
      if (journal && journal.at <= at + MAX_CLOCK_DIFFERENCE_S) return journal
    }
    for (const { log, id } of line.follows) {
      const transcript = heads.get(log)
      if (!written.has(`${log} ${id}`) && transcript && transcript.at <= at + MAX_CLOCK_DIFFERENCE_S) return transcript
    }
    return undefined
  }

  function next(): Head | undefined {
    let head = earliest([...heads.values()])
    const seen = new Set<Head>()
    // Two lines that wait for each other come from a damaged log: then the time decides.
    while (head && !seen.has(head)) {
      seen.add(head)
      const before = awaited(head)
      if (!before || seen.has(before)) return head
      head = before
    }
    return head
  }

  for (let head = next(); head; head = next()) {
    const { log, line, at } = head
    for (const id of line.sends) remember(sent, id)
    if (line.reads.length > 0) remember(written, `${log.name} ${line.id}`)
    yield { ...line, at }
    await advance(log, at)
  }
}

function earliest(heads: readonly Head[]): Head | undefined {
  let first: Head | undefined
  for (const head of heads)
    if (!first || head.at < first.at || (head.at === first.at && head.line.rank < first.line.rank)) first = head
  return first
}

function remember(ids: Set<string>, id: string): void {
  ids.add(id)
  if (ids.size > MAX_REMEMBERED) for (const oldest of ids) return void ids.delete(oldest)
}
