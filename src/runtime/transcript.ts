import { createIds } from '../ports/ids.ts'
import type { Reply, UserTurn } from '../ports/model.ts'
import { type Appended, advance, type Cursor, type Log, type LogRecord, START } from '../ports/store.ts'
import { turnstile } from '../ports/turnstile.ts'
import { TeamError } from '../team/errors.ts'
import type { Json } from '../team/json.ts'
import { asRewound } from './rewound.ts'
import {
  applyTurn,
  type BegunJob,
  type CallResult,
  type Compacted,
  type Demoted,
  type EndedJob,
  emptyTranscript,
  type Running,
  type TranscriptState,
} from './transcript-fold.ts'

/** A newer generation of the same agent has taken the conversation over; whoever gets this stops at once. */
export class Superseded extends TeamError {
  readonly code = 'superseded'
}

/**
 * What one agent's model was told and answered. It is the truth about the conversation: what stands in it happened,
 * and after a crash the conversation goes on from its last line. What the model is told counts at once and is written
 * while it thinks: should that be lost, it is told again.
 */
export interface Transcript extends AsyncDisposable {
  readonly state: TranscriptState
  /**
   * A turn with the messages and the ends of jobs it tells of. Written and durable soon, by itself, but not before
   * what it tells of is: `isTrue` resolves then.
   */
  hear(turn: UserTurn, mail: readonly string[], jobs?: readonly string[], isTrue?: () => Promise<void>): Promise<void>
  /**
   * Read back when it resolves: only then may it be shown, and calls of it begin that only look. Durable soon, by
   * itself.
   */
  answer(reply: Reply): Promise<void>
  /**
   * All turns are durable when it resolves: only then may their mail be acknowledged, and calls begin that change
   * something.
   */
  synced(): Promise<void>
  /** Written and durable soon, by itself; where it delivers mail it is when it resolves. */
  result(result: CallResult, mail?: readonly string[]): Promise<void>
  /** Old results are told by a line each from here on. Written and durable soon, by itself. */
  demote(demoted: Demoted): Promise<void>
  /** The history is told by a summary from here on, and stays in the log. Durable when it resolves. */
  compact(compacted: Compacted, by: Pick<Reply, 'usage' | 'cost' | 'model'>): Promise<void>
  /** Durable when it resolves: only then may the first of its instructions run. */
  began(running: Running): Promise<void>
  /** Durable when it resolves: only then may its work begin. */
  beganJob(job: BegunJob): Promise<void>
  /** The model may be told of it by another process, later. Written and durable soon, by itself. */
  endedJob(job: EndedJob): Promise<void>
}

export interface TranscriptOptions {
  readonly log: Log
  /** Of the agent that goes on with the conversation. */
  readonly generation: number
  readonly newId?: () => string
}

type Until = 'told' | 'written' | 'durable'

/** Milliseconds. A power cut may take answers that are younger, if nothing was done about them but looking. */
const SOON = 200

/** Opens a conversation for one generation: from its line on, what older ones still write does not count. */
export async function openTranscript({ log, generation, newId = createIds() }: TranscriptOptions): Promise<Transcript> {
  const state = emptyTranscript()
  /** What counts here and is not in the log yet, and what has to be so before it is. */
  let unwritten: LogRecord[] = []
  let conditions: (() => Promise<void>)[] = []
  /** The last that was written, until it is durable: with it all before it. */
  let young: Appended | undefined
  let alarm: NodeJS.Timeout | undefined
  let cursor: Cursor = START
  let turn: Promise<void> = Promise.resolve()
  let isWriteDue = false
  /** What was to be written by itself could not be: whoever comes next is told. */
  let isTroubled = false

  // The mistake: read first, open then. What the older generation wrote in between is never heard of.
  let isDeaf = false
  if (__BUG__ === 'fence-before-its-line') {
    await foldTo()
    isDeaf = true
  }
  unwritten.push({ id: newId(), generation, open: true })
  await flush()
  isDeaf = false
  // With it all that a dead process wrote and did not sync.
  syncSoon()

  return {
    state,
    hear: (user, mail, jobs = [], isTrue = undefined) =>
      tell(
        { user: user as unknown as Json, mail: [...mail], ...(jobs.length > 0 && { jobs: [...jobs] }) },
        'told',
        isTrue,
      ),
    answer: ({ turn: assistant, end, usage, cost, model }) =>
      tell({ assistant: assistant as unknown as Json, end, usage, cost, model }, 'written'),
    synced,
    result: (result, mail = []) =>
      mail.length === 0
        ? tell({ result: result as unknown as Json }, 'told')
        : tell({ result: result as unknown as Json, mail: [...mail] }, 'durable'),
    demote: (demoted) => tell({ demoted: demoted as unknown as Json }, 'told'),
    compact: (compacted, { usage, cost, model }) =>
      tell({ compacted: compacted as unknown as Json, usage, cost, model }, 'durable'),
    began: (running) => tell({ began: { ...running } }, 'durable'),
    beganJob: (job) => tell({ job: { ...job } }, 'durable'),
    endedJob: (job) => tell({ ended: { ...job } }, 'told'),
    async [Symbol.asyncDispose]() {
      await synced().catch(() => {})
      await log.close()
    },
  }

  async function synced(): Promise<void> {
    clearTimeout(alarm)
    alarm = undefined
    await flush()
    const last = young
    await last?.durable
    if (young === last) young = undefined
  }

  function syncSoon(): void {
    // Whatever is wrong with the disk is said by whoever comes next.
    alarm ??= setTimeout(() => void synced().catch(() => {}), SOON).unref()
  }

  async function tell(what: Partial<LogRecord>, until: Until, isTrue?: () => Promise<void>): Promise<void> {
    if (isTroubled) await flush()
    const record: LogRecord = { id: newId(), generation, ...what }
    if (!applyTurn(state, record)) throw superseded()
    unwritten.push(record)
    if (isTrue) conditions.push(isTrue)
    if (until === 'durable') return synced()
    syncSoon()
    if (until === 'written') return flush()
    if (isWriteDue) return
    isWriteDue = true
    // The model is asked first.
    turnstile
      .quiet()
      .then(flush, () => {})
      .catch(() => {})
  }

  /** One after the other, since a handle has one reader. */
  function flush(): Promise<void> {
    const next = turn.then(writeAll).catch(asRewound)
    turn = next.catch(() => {})
    return next
  }

  async function writeAll(): Promise<void> {
    isWriteDue = false
    const records = unwritten
    const last = records.at(-1)
    if (!last) return
    const before = __BUG__ === 'turn-before-journal' ? [] : conditions
    unwritten = []
    conditions = []
    isTroubled = true
    try {
      for (const isTrue of before) await isTrue()
      young = await log.append(records)
    } catch (error) {
      // It may be there or not: written once more it does no harm.
      unwritten = [...records, ...unwritten]
      conditions = [...before, ...conditions]
      throw error
    }
    if (!(await foldTo(last.id, new Set(records.map(({ id }) => id))))) throw superseded()
    isTroubled = false
  }

  function superseded(): Superseded {
    return new Superseded(
      `Another process has taken this conversation over (generation ${state.generation} after our ${generation}).`,
    )
  }

  /** Folds on to this record, or to the end if it is not there; whether it counts. Of `told` all counts already. */
  async function foldTo(id?: string, told: ReadonlySet<string> = new Set()): Promise<boolean> {
    for (let batch = await log.read(cursor); batch.length > 0; batch = await log.read(cursor)) {
      for (const recorded of batch) {
        const { record } = recorded
        const isMissed = isDeaf && !record.open
        const counts = told.has(record.id) && !record.open ? isOurs() : !isMissed && applyTurn(state, record)
        cursor = advance(cursor, recorded)
        if (record.id === id) return counts
      }
    }
    return false
  }

  function isOurs(): boolean {
    return state.generation <= generation
  }
}
