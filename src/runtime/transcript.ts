import { createIds } from '../ports/ids.ts'
import type { Reply, UserTurn } from '../ports/model.ts'
import { type Appended, advance, type Cursor, type Log, type LogRecord, START } from '../ports/store.ts'
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
 * and after a crash the conversation goes on from its last line.
 */
export interface Transcript extends AsyncDisposable {
  readonly state: TranscriptState
  /**
   * A turn with the messages and the ends of jobs it tells of. Read back when it resolves: only then may the model be
   * asked. Durable soon after, by itself.
   */
  hear(turn: UserTurn, mail: readonly string[], jobs?: readonly string[]): Promise<void>
  /** Read back when it resolves: only then may calls of it begin that only look. Durable soon after, by itself. */
  answer(reply: Reply): Promise<void>
  /**
   * All turns are durable when it resolves: only then may their mail be acknowledged, and calls begin that change
   * something.
   */
  synced(): Promise<void>
  /** In the log when it resolves; durable with the next turn, or at once where it delivers mail. */
  result(result: CallResult, mail?: readonly string[]): Promise<void>
  /** Old results are told by a line each from here on. In the log when it resolves. */
  demote(demoted: Demoted): Promise<void>
  /** The history is told by a summary from here on, and stays in the log. Durable when it resolves. */
  compact(compacted: Compacted, by: Pick<Reply, 'usage' | 'cost' | 'model'>): Promise<void>
  /** Durable when it resolves: only then may the first of its instructions run. */
  began(running: Running): Promise<void>
  /** Durable when it resolves: only then may its work begin. */
  beganJob(job: BegunJob): Promise<void>
  /** In the log when it resolves: the model may be told of it by another process, later. */
  endedJob(job: EndedJob): Promise<void>
}

export interface TranscriptOptions {
  readonly log: Log
  /** Of the agent that goes on with the conversation. */
  readonly generation: number
  readonly newId?: () => string
}

type Until = 'written' | 'soon durable' | 'durable'

/** Milliseconds. A power cut may take answers that are younger, if nothing was done about them but looking. */
const SOON = 200

/** Opens a conversation for one generation: from its line on, what older ones still write does not count. */
export async function openTranscript({ log, generation, newId = createIds() }: TranscriptOptions): Promise<Transcript> {
  const state = emptyTranscript()
  /** The last record that is to be durable, until it is: with it all before it. */
  let young: Appended | undefined
  let alarm: NodeJS.Timeout | undefined
  let cursor: Cursor = START
  let turn: Promise<unknown> = Promise.resolve()

  // The mistake: read first, open then. What the older generation wrote in between is never heard of.
  let isDeaf = false
  if (__BUG__ === 'fence-before-its-line') {
    await foldTo()
    isDeaf = true
  }
  // With it all that a dead process wrote and did not sync.
  await write({ open: true }, 'soon durable')
  isDeaf = false

  return {
    state,
    hear: (user, mail, jobs = []) =>
      write(
        { user: user as unknown as Json, mail: [...mail], ...(jobs.length > 0 && { jobs: [...jobs] }) },
        'soon durable',
      ),
    answer: ({ turn: assistant, end, usage, cost, model }) =>
      write({ assistant: assistant as unknown as Json, end, usage, cost, model }, 'soon durable'),
    synced,
    result: (result, mail = []) =>
      mail.length === 0
        ? write({ result: result as unknown as Json }, 'written')
        : write({ result: result as unknown as Json, mail: [...mail] }, 'durable'),
    demote: (demoted) => write({ demoted: demoted as unknown as Json }, 'written'),
    compact: (compacted, { usage, cost, model }) =>
      write({ compacted: compacted as unknown as Json, usage, cost, model }, 'durable'),
    began: (running) => write({ began: { ...running } }, 'durable'),
    beganJob: (job) => write({ job: { ...job } }, 'durable'),
    endedJob: (job) => write({ ended: { ...job } }, 'written'),
    async [Symbol.asyncDispose]() {
      await turn.catch(() => {})
      await synced().catch(() => {})
      await log.close()
    },
  }

  async function synced(): Promise<void> {
    clearTimeout(alarm)
    alarm = undefined
    const last = young
    await last?.durable
    if (young === last) young = undefined
  }

  /** One after the other, since a handle has one reader; results of parallel calls come in at any time. */
  function write(what: Partial<LogRecord>, until: Until): Promise<void> {
    const record: LogRecord = { id: newId(), generation, ...what }
    const next = turn.then(() => append(record, until)).catch(asRewound)
    turn = next.catch(() => {})
    return next
  }

  async function append(record: LogRecord, until: Until): Promise<void> {
    const appended = await log.append([record])
    const counts = await foldTo(record.id)
    if (!counts) {
      throw new Superseded(
        `Another process has taken this conversation over (generation ${state.generation} after our ${generation}).`,
      )
    }
    if (until === 'written') return
    young = appended
    if (until === 'durable') return synced()
    // Whatever is wrong with the disk is said by whoever writes next.
    alarm ??= setTimeout(() => void synced().catch(() => {}), SOON).unref()
  }

  /** Folds on to this record, or to the end if it is not there; whether it counts. */
  async function foldTo(id?: string): Promise<boolean> {
    for (let batch = await log.read(cursor); batch.length > 0; batch = await log.read(cursor)) {
      for (const recorded of batch) {
        const isMissed = isDeaf && !recorded.record.open
        const counts = !isMissed && applyTurn(state, recorded.record)
        cursor = advance(cursor, recorded)
        if (recorded.record.id === id) return counts
      }
    }
    return false
  }
}
