import { advance, type Cursor, START } from '../../journal/cursor.ts'
import { createIds } from '../../journal/ids.ts'
import { asRewound, ConversationRewound } from '../../journal/rewound.ts'
import { scheduler } from '../../journal/scheduler.ts'
import type { Appended, Fault, Log, LogRecord } from '../../journal/store.ts'
import { JournalReadOnly, Superseded } from '../../journal/store-errors.ts'
import type { Reply, UserTurn } from '../../models/model.ts'
import type { Eraser } from '../../redaction/eraser.ts'
import { TeamError } from '../../team/errors.ts'
import type { Json } from '../../team/json.ts'
import type { MailFile, ToolResult } from '../../tools/tool.ts'
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

/** The journal knows of turns that are not in the transcript: its file is missing, empty, or lost its end. */
export class TranscriptLost extends TeamError {
  readonly code = 'transcript_lost'
  /** Of the records that are left. */
  readonly left: ReadonlySet<string>
  constructor(left: ReadonlySet<string>, isMail: boolean) {
    const what = left.size === 0 ? 'is missing or empty' : 'lost its end'
    super(`It ${what}, but by the journal this agent ${isMail ? 'was told mail in it' : 'asked its model'}.`)
    this.left = left
  }
}

/** A line of the transcript is not what was written: the conversation cannot continue before it is repaired. */
export class TranscriptDamaged extends TeamError {
  readonly code = 'transcript_damaged'
  constructor({ path, line, offset, detail }: Fault, cause: unknown) {
    const [, team = 'TEAM'] = /[\\/ ]([^\\/ ]+)[\\/]transcripts[\\/]/.exec(path) ?? []
    const what = detail.replace(/\. Run: .*$/s, '')
    super(
      `The transcript ${path} is damaged at line ${line} (byte ${offset}): ${what}. Repair it: deskmates check --repair --team ${team}`,
      { cause },
    )
  }
}

function asDamaged(error: unknown): never {
  if (error instanceof JournalReadOnly && error.fault.kind === 'damaged')
    throw new TranscriptDamaged(error.fault, error)
  throw error
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
   * what it tells of is: `isTrue` resolves then. `more` are the files that hold the whole of long messages, and the task it tells of.
   */
  hear(
    turn: UserTurn,
    mail: readonly string[],
    jobs?: readonly string[],
    isTrue?: () => Promise<void>,
    more?: { readonly files?: readonly MailFile[] | undefined; readonly task?: string | undefined },
  ): Promise<void>
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
  /**
   * Read back when it resolves, and durable where it delivers mail; `task` is the one that the call claimed. With `canWait`, for a call that does no harm when it
   * is done again, written soon, by itself.
   */
  result(result: CallResult, about?: Pick<ToolResult, 'mail' | 'files' | 'task'>, canWait?: boolean): Promise<void>
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
  /** A record that stands in it by the journal's word; `''`: any. Without it nothing is known of it yet. */
  readonly expects?: string | undefined
  /** Takes secrets out of everything that enters the conversation. */
  readonly eraser?: Pick<Eraser, 'value'> | undefined
}

/** What counts here and is not in the log yet. It is not written before it is true. */
interface Told {
  readonly record: LogRecord
  readonly isTrue?: (() => Promise<void>) | undefined
}

/** Milliseconds. A power cut may take answers that are younger, if nothing was done about them but looking. */
const SOON = 200

function filesIn(files: readonly MailFile[]): Partial<LogRecord> {
  return files.length > 0 ? { files: files.map((file) => ({ ...file }) as unknown as Json) } : {}
}

/** Opens a conversation for one generation: from its line on, what older ones still write does not count. */
export async function openTranscript({
  log,
  generation,
  newId = createIds(),
  eraser,
  expects,
}: TranscriptOptions): Promise<Transcript> {
  const state = emptyTranscript()
  let unwritten: Told[] = []
  /** Ids of records that count already and were not met in the log yet. */
  const unmet = new Set<string>()
  /** The last that was written, until it is durable: with it all before it. */
  let young: Appended | undefined
  let alarm: NodeJS.Timeout | undefined
  let cursor: Cursor = START
  let turn: Promise<void> = Promise.resolve()
  let isWriteDue = false
  /** How many are being written that count only then: what is told meanwhile comes behind them. */
  let writing = 0
  /** Something could not be written, or not be read back: whoever comes next is told, or it is over by then. */
  let isTroubled = false

  if (expects !== undefined) {
    const ids = await readIds().catch(asDamaged)
    const damaged = log.faults().find(({ kind }) => kind === 'damaged')
    if (damaged) throw new TranscriptDamaged(damaged, undefined)
    if (expects === '' ? !ids.hasTurns : !ids.all.has(expects)) throw new TranscriptLost(ids.all, expects !== '')
  }
  // With it all that a dead process wrote and did not sync.
  await write({ open: true }).catch(asDamaged)

  return {
    state,
    hear: (user, mail, jobs = [], isTrue = undefined, { files = [], task } = {}) =>
      tell(
        {
          user: user as unknown as Json,
          mail: [...mail],
          ...(jobs.length > 0 && { jobs: [...jobs] }),
          ...filesIn(files),
          ...(task !== undefined && { task }),
        },
        isTrue,
      ),
    answer: ({ turn: assistant, end, usage, cost, model }) =>
      write({ assistant: assistant as unknown as Json, end, usage, cost, model }),
    synced,
    result(result, { mail = [], files = [], task } = {}, canWait = false) {
      const what = { result: result as unknown as Json, ...filesIn(files), ...(task !== undefined && { task }) }
      if (mail.length > 0) return writeDurably({ ...what, mail: [...mail] })
      return canWait ? tell(what) : write(what)
    },
    demote: (demoted) => tell({ demoted: demoted as unknown as Json }),
    compact: (compacted, { usage, cost, model }) =>
      writeDurably({ compacted: compacted as unknown as Json, usage, cost, model }),
    began: (running) => writeDurably({ began: { ...running } }),
    beganJob: (job) => writeDurably({ job: { ...job } }),
    endedJob: (job) => tell({ ended: { ...job } }),
    async [Symbol.asyncDispose]() {
      try {
        await synced()
      } catch (error) {
        // There is nothing to go on with, and whoever goes on elsewhere has all there is.
        if (!(error instanceof Superseded || error instanceof ConversationRewound)) throw error
      } finally {
        await log.close()
      }
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

  /** Counts at once, and is written when the model has been asked. */
  async function tell(what: Partial<LogRecord>, isTrue?: () => Promise<void>): Promise<void> {
    while (writing > 0 || isTroubled) await (writing > 0 ? turn : flush())
    const record = recordOf(what)
    if (!applyTurn(state, record)) throw superseded()
    unmet.add(record.id)
    unwritten.push({ record, isTrue })
    syncSoon()
    if (isWriteDue) return
    isWriteDue = true
    scheduler
      .whenIdle()
      .then(() => flush())
      .catch(() => {})
  }

  /** Counts once it is in the log, with all that was told before it. */
  async function write(what: Partial<LogRecord>): Promise<void> {
    await flush(recordOf(what))
    syncSoon()
  }

  async function writeDurably(what: Partial<LogRecord>): Promise<void> {
    await flush(recordOf(what))
    await synced()
  }

  function recordOf(what: Partial<LogRecord>): LogRecord {
    return { id: newId(), generation, ...(eraser?.value(what) ?? what) }
  }

  /** One after the other, since a handle has one reader. */
  function flush(own?: LogRecord): Promise<void> {
    if (own) writing++
    const next = turn.then(() => writeAll(own))
    turn = next.then(
      () => {
        isTroubled = false
      },
      () => {
        isTroubled = true
      },
    )
    return turn.then(() => {
      if (own) writing--
      return next.catch(asRewound)
    })
  }

  async function writeAll(own: LogRecord | undefined): Promise<void> {
    isWriteDue = false
    if (state.generation > generation) throw superseded()
    const lines = unwritten
    if (!own && lines.length === 0 && !isTroubled) return
    unwritten = []
    const { count, why } = await truth(lines)
    const records = lines.slice(0, count).map(({ record }) => record)
    if (own && why === undefined) records.push(own)
    try {
      await append(records)
    } catch (error) {
      // They may be there or not: written once more they do no harm.
      unwritten = [...lines, ...unwritten]
      throw error
    }
    unwritten = [...lines.slice(count), ...unwritten]
    if (why !== undefined) throw why
  }

  /** How many of these are true, one after the other, and why the next one is not. */
  async function truth(lines: readonly Told[]): Promise<{ count: number; why?: unknown }> {
    for (const [count, { isTrue }] of lines.entries()) {
      try {
        await isTrue?.()
      } catch (why) {
        return { count, why }
      }
    }
    return { count: lines.length }
  }

  async function append(records: readonly LogRecord[]): Promise<void> {
    const appended = records.length > 0 ? await log.append(records) : undefined
    young = appended ?? young
    // What was there already may lie before the line with which somebody took over.
    const isNew = appended?.outcomes.every((outcome) => outcome === 'accepted') ?? false
    await foldTo(isNew ? records.at(-1)?.id : undefined)
    if (state.generation > generation) throw superseded()
  }

  function superseded(): Superseded {
    return new Superseded(
      `Another process has taken this conversation over (generation ${state.generation} after our ${generation}).`,
    )
  }

  /** Folds all that is there; the ids of its records, and whether any of them is a turn. */
  async function readIds(): Promise<{ all: ReadonlySet<string>; hasTurns: boolean }> {
    const all = new Set<string>()
    let hasTurns = false
    await foldTo(undefined, (record) => {
      all.add(record.id)
      hasTurns ||= record.user !== undefined || record.assistant !== undefined
    })
    return { all, hasTurns }
  }

  /** Folds on to this record, or to the end. */
  async function foldTo(id: string | undefined, seen?: (record: LogRecord) => void): Promise<void> {
    for (let batch = await log.read(cursor); batch.length > 0; batch = await log.read(cursor)) {
      for (const recorded of batch) {
        const { record } = recorded
        seen?.(record)
        if (!unmet.delete(record.id)) applyTurn(state, record)
        cursor = advance(cursor, recorded)
        if (record.id === id) return
      }
    }
  }
}
