import { asRewound, ConversationRewound } from '../../journal/fold/rewound.ts'
import { createIds } from '../../journal/ids.ts'
import { advance, type Cursor, START } from '../../journal/log/cursor.ts'
import type { Appended, Log, LogRecord } from '../../journal/log/store.ts'
import { JournalReadOnly, Superseded } from '../../journal/log/store-errors.ts'
import { scheduler } from '../../journal/scheduler.ts'
import type { Reply, UserTurn } from '../../models/model.ts'
import type { Eraser } from '../../redaction/eraser.ts'
import type { Json } from '../../team/data/json.ts'
import { TeamError } from '../../team/errors.ts'
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
import type { TypedPart } from './typed-part.ts'

/** The journal knows of turns that are not in the transcript: its file is missing, empty, or lost its end. */
export class TranscriptLost extends TeamError {
  readonly code = 'transcript_lost'
  /** Of the records that are left. */
  readonly left: ReadonlySet<string>
  constructor(left: ReadonlySet<string>, isMail: boolean) {
    const what = left.size === 0 ? 'is missing or empty' : 'lost its end'
    super(`It ${what}, but by the journal this agent ${isMail ? 'received mail in it' : 'called its model'}.`)
    this.left = left
  }
}

/**
 * The turns of one agent's conversation. It is the truth about the conversation: what stands in it happened, and after a
 * crash the conversation continues from its last line. Input counts at once and is written while the model answers: if a
 * crash loses it, it is delivered again.
 */
export interface Transcript extends AsyncDisposable {
  readonly state: TranscriptState
  /**
   * A user turn with the messages and ended jobs it reports. It becomes durable soon, by itself, but not before what it
   * reports is durable: `waitUntilDurable` resolves then. `more` are the files of long messages, the task
   * it is about, and which parts a person typed.
   */
  addInput(
    turn: UserTurn,
    mail: readonly string[],
    jobs?: readonly string[],
    waitUntilDurable?: () => Promise<void>,
    more?: {
      readonly files?: readonly MailFile[] | undefined
      readonly task?: string | undefined
      readonly typed?: readonly TypedPart[] | undefined
    },
  ): Promise<void>
  /** The user ended the turn: `turn` says so to the model, which is called with the next message. Durable soon, by itself. */
  interrupt(turn: UserTurn): Promise<void>
  /**
   * Read back when it resolves: only then may it be shown, and its read-only calls run. Durable soon, by itself.
   */
  answer(reply: Reply): Promise<void>
  /**
   * All turns are durable when it resolves: only then may their mail be acknowledged, and calls run that change
   * something.
   */
  synced(): Promise<void>
  /**
   * Read back when it resolves, and durable where it delivers mail. `about` names mail that it delivers, the task that the
   * call claimed, and the file of a text that was cut. With `canWait`, for a call that may be repeated without harm, it is
   * written soon, by itself.
   */
  result(
    result: CallResult,
    about?: Pick<ToolResult, 'mail' | 'files' | 'task' | 'outputPath'>,
    canWait?: boolean,
  ): Promise<void>
  /** Old results are replaced by a line each from here on. Durable soon, by itself. */
  demote(demoted: Demoted): Promise<void>
  /** The history is replaced by a summary from here on, and stays in the log. Durable when it resolves. */
  compact(compacted: Compacted, by: Pick<Reply, 'usage' | 'cost' | 'model'>): Promise<void>
  /** Durable when it resolves: only then may the first of its instructions run. */
  began(running: Running): Promise<void>
  /** Another vendor's program keeps this conversation too, under this id. Durable when it resolves. */
  keptBy(session: string): Promise<void>
  /** Durable when it resolves: only then may its work begin. */
  beganJob(job: BegunJob): Promise<void>
  /** Another process may report it to the model later. Durable soon, by itself. */
  endedJob(job: EndedJob): Promise<void>
}

export interface TranscriptOptions {
  readonly log: Log
  /** Of the agent that continues the conversation. */
  readonly generation: number
  readonly newId?: () => string
  /** The id of a record that it holds by the journal; `''`: any record. Undefined: the journal knows of none. */
  readonly expects?: string | undefined
  /** Takes secrets out of everything that enters the conversation. */
  readonly eraser?: Pick<Eraser, 'value'> | undefined
}

/** A record that counts already and is not in the log yet. It is not written before what it reports is durable. */
interface PendingRecord {
  readonly record: LogRecord
  readonly waitUntilDurable?: (() => Promise<void>) | undefined
}

/** A power cut may lose answers of this time, if only read-only calls followed from them. */
const SYNC_DELAY_MS = 200

function filesIn(files: readonly MailFile[]): Partial<LogRecord> {
  return files.length > 0 ? { files: files.map((file) => ({ ...file }) as unknown as Json) } : {}
}

/** Opens a conversation for one generation: what older generations write behind its line does not count. */
export async function openTranscript({
  log,
  generation,
  newId = createIds(),
  eraser,
  expects,
}: TranscriptOptions): Promise<Transcript> {
  const state = emptyTranscript()
  let pending: PendingRecord[] = []
  /** Ids of records that count already and were not read from the log yet. */
  const unread = new Set<string>()
  /** The last write that may not be durable; when it is, so is everything before it. */
  let unsynced: Appended | undefined
  let syncTimer: NodeJS.Timeout | undefined
  let cursor: Cursor = START
  let lastWrite: Promise<void> = Promise.resolve()
  let isWriteDue = false
  /** Writes in progress of records that count only when written: later input comes behind them. */
  let writing = 0
  /** The last write or read failed: the next caller tries again, and gets the error if it fails too. */
  let hasFailed = false

  if (expects !== undefined) {
    const ids = await readIds()
    const damaged = log.faults().find(({ kind }) => kind === 'damaged')
    if (damaged) throw new JournalReadOnly(damaged)
    if (expects === '' ? !ids.hasTurns : !ids.all.has(expects)) throw new TranscriptLost(ids.all, expects !== '')
  }
  // Also syncs what a dead process wrote and did not sync.
  await write({ open: true })

  return {
    state,
    addInput: (user, mail, jobs = [], waitUntilDurable = undefined, { files = [], task, typed } = {}) =>
      enqueue(
        {
          user: user as unknown as Json,
          mail: [...mail],
          ...(jobs.length > 0 && { jobs: [...jobs] }),
          ...filesIn(files),
          ...(task !== undefined && { task }),
          ...(typed && { typed: typed.map((one) => ({ ...one })) }),
        },
        waitUntilDurable,
      ),
    interrupt: (user) => enqueue({ user: user as unknown as Json, mail: [], interrupted: true }),
    answer: ({ turn: assistant, end, usage, cost, model }) =>
      write({ assistant: assistant as unknown as Json, end, usage, cost, model }),
    synced,
    result(result, { mail = [], files = [], task, outputPath } = {}, canWait = false) {
      const what = {
        result: result as unknown as Json,
        ...filesIn(files),
        ...(task !== undefined && { task }),
        ...(outputPath !== undefined && { outputPath }),
      }
      if (mail.length > 0) return writeDurably({ ...what, mail: [...mail] })
      return canWait ? enqueue(what) : write(what)
    },
    demote: (demoted) => enqueue({ demoted: demoted as unknown as Json }),
    compact: (compacted, { usage, cost, model }) =>
      writeDurably({ compacted: compacted as unknown as Json, usage, cost, model }),
    began: (running) => writeDurably({ began: { ...running } }),
    keptBy: (session) => writeDurably({ session }),
    beganJob: (job) => writeDurably({ job: { ...job } }),
    endedJob: (job) => enqueue({ ended: { ...job } }),
    async [Symbol.asyncDispose]() {
      try {
        await synced()
      } catch (error) {
        // Another process continues the conversation, with all that counts of it.
        if (!(error instanceof Superseded || error instanceof ConversationRewound)) throw error
      } finally {
        await log.close()
      }
    },
  }

  async function synced(): Promise<void> {
    clearTimeout(syncTimer)
    syncTimer = undefined
    await flush()
    const last = unsynced
    await last?.durable
    if (unsynced === last) unsynced = undefined
  }

  function syncSoon(): void {
    // The next write throws what is wrong with the disk.
    syncTimer ??= setTimeout(() => void synced().catch(() => {}), SYNC_DELAY_MS).unref()
  }

  /** The record counts at once, and is written while the model is called. */
  async function enqueue(what: Partial<LogRecord>, waitUntilDurable?: () => Promise<void>): Promise<void> {
    while (writing > 0 || hasFailed) await (writing > 0 ? lastWrite : flush())
    const record = recordOf(what)
    if (!applyTurn(state, record)) throw superseded()
    unread.add(record.id)
    pending.push({ record, waitUntilDurable })
    syncSoon()
    if (isWriteDue) return
    isWriteDue = true
    scheduler
      .whenIdle()
      .then(() => flush())
      .catch(() => {})
  }

  /** The record counts once it is in the log, with all that was enqueued before it. */
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

  /** One write after the other, since a log handle has one reader. */
  function flush(own?: LogRecord): Promise<void> {
    if (own) writing++
    const next = lastWrite.then(() => writeAll(own))
    lastWrite = next.then(
      () => {
        hasFailed = false
      },
      () => {
        hasFailed = true
      },
    )
    return lastWrite.then(() => {
      if (own) writing--
      return next.catch(asRewound)
    })
  }

  async function writeAll(own: LogRecord | undefined): Promise<void> {
    isWriteDue = false
    if (state.generation > generation) throw superseded()
    const lines = pending
    if (!own && lines.length === 0 && !hasFailed) return
    pending = []
    const { count, why } = await durablePart(lines)
    const records = lines.slice(0, count).map(({ record }) => record)
    if (own && why === undefined) records.push(own)
    try {
      await append(records)
    } catch (error) {
      // They may be in the log or not: a repeated id is ignored.
      pending = [...lines, ...pending]
      throw error
    }
    pending = [...lines.slice(count), ...pending]
    if (why !== undefined) throw why
  }

  /** How many of these report only what is durable, in order, and why the next one does not. */
  async function durablePart(lines: readonly PendingRecord[]): Promise<{ count: number; why?: unknown }> {
    for (const [count, { waitUntilDurable }] of lines.entries()) {
      try {
        await waitUntilDurable?.()
      } catch (why) {
        return { count, why }
      }
    }
    return { count: lines.length }
  }

  async function append(records: readonly LogRecord[]): Promise<void> {
    const appended = records.length > 0 ? await log.append(records) : undefined
    unsynced = appended ?? unsynced
    // A record that was in the log already may stand before the line with which another process took over.
    const isNew = appended?.outcomes.every((outcome) => outcome === 'accepted') ?? false
    await foldTo(isNew ? records.at(-1)?.id : undefined)
    if (state.generation > generation) throw superseded()
  }

  function superseded(): Superseded {
    return new Superseded(
      `Another process took over this conversation (generation ${state.generation} after ${generation}).`,
    )
  }

  /** Folds the whole log; the ids of its records, and whether any of them is a turn. */
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
        if (!unread.delete(record.id)) applyTurn(state, record)
        cursor = advance(cursor, recorded)
        if (record.id === id) return
      }
    }
  }
}
