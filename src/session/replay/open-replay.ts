import type { Fault, Store } from '../../journal/log/store.ts'
import { cleanValue } from '../../redaction/clean-value.ts'
import type { Redactor } from '../../redaction/redactor.ts'
import type { TimedLine } from '../wire/live-line.ts'
import { mergeLogs } from './merge-logs.ts'
import { findLogs, type OpenPlayedLog, openPlayedLog, type SessionLog } from './played-logs.ts'

/** The lines of a session from its journals and transcripts, as far as they went when it was opened. */
export interface Replay {
  readonly session: string
  /** Lines; the first is step 1. */
  readonly count: number
  /** What cannot be read, besides lines that a killed process left unfinished. */
  readonly faults: readonly Fault[]
  /** Seconds since 1970; never before an earlier step. */
  timeOf(step: number): number
  /** The step of the record with this id; undefined if it has none. */
  stepOf(record: string): Promise<number | undefined>
  /** Lines behind a step, in bounded batches; an empty one at the end. */
  read(after: number): Promise<readonly TimedLine[]>
}

const BATCH_LINES = 500
/** Characters of lines that stay in memory; others are read again when they are needed. */
const MAX_KEPT_CHARS = 64_000_000

export interface ReplayOptions {
  readonly redactor: Redactor
  readonly signal?: AbortSignal
  /** Characters of lines that stay in memory. */
  readonly maxKeptChars?: number
}

/** Reads everything once, to know how much there is. Writes nothing. */
export async function openReplay(store: Store, team: string, options: ReplayOptions): Promise<Replay> {
  const { session, logs } = await findLogs(store, team)
  const times: number[] = []
  const kept = createKeptBatches(options.maxKeptChars ?? MAX_KEPT_CHARS)
  let faults: readonly Fault[] = []
  for await (const batch of batchesOf(store, session, logs, options, (found) => (faults = found))) {
    kept.put(times.length / BATCH_LINES, batch)
    for (const { timed } of batch) times.push(timed.at)
  }

  async function batchAt(index: number): Promise<readonly PlayedLine[]> {
    const known = kept.get(index)
    if (known) return known
    let at = 0
    for await (const batch of batchesOf(store, session, logs, options)) {
      if (at >= index - 1) kept.put(at, batch)
      if (at++ === index) return batch
    }
    return []
  }

  return {
    session,
    count: times.length,
    faults,
    timeOf: (step) => times[Math.min(Math.max(step, 1), times.length) - 1] ?? 0,
    async stepOf(record) {
      let step = 0
      for (let index = 0; step < times.length; index++)
        for (const { id } of await batchAt(index)) {
          step++
          if (id === record) return step
        }
      return undefined
    },
    async read(after) {
      if (after >= times.length) return []
      const batch = await batchAt(Math.floor(after / BATCH_LINES))
      return batch.slice(after % BATCH_LINES).map(({ timed }) => timed)
    },
  }
}

interface PlayedLine {
  readonly timed: TimedLine
  readonly id: string
}

/** All lines from the beginning, each batch but the last of the same size. */
async function* batchesOf(
  store: Store,
  session: string,
  logs: readonly SessionLog[],
  { redactor, signal }: ReplayOptions,
  onEnd: (faults: readonly Fault[]) => void = () => {},
): AsyncGenerator<readonly PlayedLine[], void> {
  const open: OpenPlayedLog[] = []
  try {
    for (const log of logs) open.push(await openPlayedLog(store, session, log))
    let batch: PlayedLine[] = []
    for await (const { timed, at, id } of mergeLogs(open)) {
      signal?.throwIfAborted()
      batch.push({ id, timed: { at, line: cleanValue(timed.line, redactor) } })
      if (batch.length < BATCH_LINES) continue
      yield batch
      batch = []
    }
    if (batch.length > 0) yield batch
    onEnd(open.flatMap((log) => log.faults()).filter(({ kind }) => kind !== 'torn'))
  } finally {
    for (const log of open) await log[Symbol.asyncDispose]()
  }
}

/** The batches that were used last, as many as fit. */
function createKeptBatches(maxChars: number) {
  const batches = new Map<number, { readonly lines: readonly PlayedLine[]; readonly chars: number }>()
  let total = 0
  function drop(index: number): void {
    total -= batches.get(index)?.chars ?? 0
    batches.delete(index)
  }
  return {
    get(index: number): readonly PlayedLine[] | undefined {
      const found = batches.get(index)
      if (!found) return undefined
      batches.delete(index)
      batches.set(index, found)
      return found.lines
    },
    put(index: number, lines: readonly PlayedLine[]): void {
      drop(index)
      const chars = lines.reduce((sum, { timed }) => sum + JSON.stringify(timed.line).length, 0)
      batches.set(index, { lines, chars })
      total += chars
      for (const oldest of [...batches.keys()]) if (total > maxChars && oldest !== index) drop(oldest)
    },
  }
}
