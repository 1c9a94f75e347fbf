import type { Answer } from '../team/answers/answer.ts'
import type { Applied } from '../team/apply.ts'
import type { Command, MessageDraft } from '../team/command.ts'
import type { Author, TeamEvent } from '../team/event.ts'
import type { Effect } from '../team/message.ts'
import { isRefusal, type Refusal } from '../team/refusal.ts'
import { memberNamed } from '../team/state.ts'
import { type Batch, decideAll, type PendingWrite, type Result } from './batch.ts'
import { checkProcesses, hasProcessesToCheck, NO_PROCESSES } from './check-processes.ts'
import type { Clock } from './clock.ts'
import type { Fold } from './fold/fold.ts'
import { openHistory } from './fold/history.ts'
import type { LostRecords } from './fold/recent-records.ts'
import { LeadershipLost } from './fold/rewound.ts'
import type { Appended, Fault, Log, Presence } from './log/store.ts'
import { OutcomeUnknown } from './log/store-errors.ts'
import { describeWrite, firstResult, isEmpty, isRepeatable, resultOf } from './results.ts'
import { createWriteQueue } from './write-queue.ts'

/** When a write resolves: a record that is only `written` becomes durable with the next sync. */
export type Until = 'written' | 'durable'

/** After so many rewinds without a write in between, the failure is passed on to the callers. */
const MAX_REWINDS_IN_A_ROW = 5

/**
 * The one place where this process writes to a team's journal. Commands wait in a queue, are decided in order on the
 * freshly folded state and are written chained, in one call; if another process decided meanwhile they are decided again.
 */
export interface Appender {
  readonly fold: Fold
  /** Another handle after it was rewound. */
  readonly log: Log
  /** Called with what each record did at its place, as soon as this process has folded it; never to throw. */
  readonly watchers: Set<(applied: Applied) => void>
  refresh(): Promise<void>
  run(
    command: Command,
    about: { id: string; by: Author; mayRepeat: boolean; hasOwnRecord?: boolean; until?: Until },
  ): Promise<Answer | Refusal>
  send(
    message: MessageDraft,
    about: { id: string; by: Author; mayRepeat: boolean },
  ): Promise<readonly Effect[] | Refusal>
  report(facts: readonly TeamEvent[], about: { id: string; by: Author; until?: Until }): Promise<readonly Effect[]>
  /** Runs while nothing is folded or written. */
  alone<T>(work: () => Promise<T>): Promise<T>
  /** Resolves when every write so far is done. */
  idle(): Promise<void>
}

export async function openAppender({
  log,
  presence,
  clock,
  onRewound,
}: {
  log: Log
  presence: Presence
  clock: Clock
  /** The log lost its end and was folded again; `lost` names the lost records. */
  onRewound(fault: Fault, lost: LostRecords): void
}): Promise<Appender> {
  const queue = createWriteQueue({ holdBack: (tries) => history.log.holdBack(tries), round })
  /** The writes whose records are being written, by the id of the record. */
  const written = new Map<string, readonly PendingWrite[]>()
  const watchers = new Set<(applied: Applied) => void>()
  let rewindsInARow = 0
  let newlyApplied: Applied[] = []

  const history = await openHistory({
    log,
    self: presence.self,
    seen({ record }, applied, state, isNew) {
      const isRefold = state !== history.fold.state
      for (const entry of written.get(record.id) ?? []) {
        // After a rewind a record under an id that a caller chose may be another caller's: it is looked up as a repeat.
        if (!isRefold || !isRepeatable(entry)) entry.result = resultOf(entry, applied, state)
      }
      if (isRefold && isNew) newlyApplied.push(applied)
      else if (isNew) notify(applied)
    },
    forget() {
      newlyApplied = []
      for (const entry of [...written.values()].flat()) delete entry.result
    },
    onRewound(fault, lost) {
      onRewound(fault, lost)
      for (const applied of [...newlyApplied.splice(0), NOTHING_APPLIED]) notify(applied)
    },
  })
  const { fold, toEnd } = history

  function notify(applied: Applied): void {
    for (const watch of watchers) watch(applied)
  }

  /** Folds to the end, decides and writes. */
  async function round(entries: readonly PendingWrite[]): Promise<void> {
    try {
      await toEnd()
      let fresh = entries
      let processes = NO_PROCESSES
      if (entries.some(isRepeatable) || hasProcessesToCheck(fold.state, entries)) {
        fresh = await settleRepeats(entries)
        processes = await checkProcesses(fold.state, presence, fresh)
        // Checking takes time, in which other processes write.
        if (processes !== NO_PROCESSES || entries.some(isRepeatable)) await toEnd()
      }
      if (history.rewinds > 0) fresh = fresh.filter(isStillRunByUs)
      // From here to the write nothing is awaited: every pause is a chance for another process to decide first.
      const batch = decideAll(fold, fresh, { ...processes, now: clock.now(), self: presence.self })
      for (const { entry, result, needsBatch } of batch.answers) {
        if (needsBatch) continue
        if (isRefusal(result) || isEmpty(result)) entry.settle(result)
        else settleSynced(entry, result)
      }
      if (batch.records.length > 0) await write(batch)
    } catch (error) {
      // A write that is back in the queue is answered by a later round.
      for (const entry of entries) if (!queue.has(entry)) entry.fail(error)
    }
  }

  /**
   * The generation of a member says which process runs it. If its record was lost with the end of the log, another
   * process may have got the same generation since, and the writes of both would count.
   */
  function isStillRunByUs({ by, fail }: PendingWrite): boolean {
    const member = by.generation === undefined ? undefined : memberNamed(fold.state, by.name)
    if (!member || member.generation !== by.generation || member.runtime === presence.self) return true
    fail(new LeadershipLost(member.name))
    return false
  }

  async function write({ records, entries, answers }: Batch): Promise<void> {
    for (const [i, { id }] of records.entries()) written.set(id, entries[i] ?? [])
    const before = history.rewinds
    try {
      // Reading `durable` begins a sync, so it is not read for facts that can wait.
      const appended = await history.log.append(records).catch(refoldRewound)
      const { outcomes } = appended
      const accepted = entries.filter((_, i) => outcomes[i] === 'accepted').flat()
      await toEnd(() => accepted.every(({ result }) => result !== undefined)).catch((error) => {
        throw new OutcomeUnknown('the journal', [...written.keys()], error)
      })
      const isRewound = history.rewinds > before
      const again: PendingWrite[] = []
      for (const [i, { id }] of records.entries()) {
        for (const entry of entries[i] ?? []) {
          // A record that a rewind took was not acknowledged: it is decided again on the state that is there now.
          if (isRewound && entry.result === undefined) again.push({ ...entry })
          else if (isRewound || outcomes[i] === 'accepted') acknowledge(id, entry, appended)
          else if (outcomes[i] === 'conflict') again.push({ ...entry, tries: entry.tries + 1 })
          else await settleAsFirst(entry)
        }
      }
      for (const { entry, result } of answers.filter(({ needsBatch }) => needsBatch)) {
        if (again.length > 0) again.push(entry)
        else appended.durable.then(() => entry.settle(result), entry.fail)
      }
      queue.retry(again)
    } finally {
      for (const { id } of records) written.delete(id)
    }
  }

  /** If the log lost its end before the write, it is folded again, which shows which of the records are in it. */
  async function refoldRewound(error: unknown): Promise<Appended> {
    await history.foldAgain(error)
    if (++rewindsInARow > MAX_REWINDS_IN_A_ROW) throw error
    return { outcomes: [], durable: Promise.resolve() }
  }

  function acknowledge(record: string, entry: PendingWrite, appended: Appended): void {
    const result = entry.result ?? []
    rewindsInARow = 0
    history.acknowledged(record, () => ({ id: entry.id, what: describeWrite(entry) }))
    if (entry.resolveOnWrite) entry.settle(result)
    else appended.durable.then(() => entry.settle(result), entry.fail)
  }

  /** Gives a repeated command id the first answer, whatever the state is now; returns the writes that are no repeats. */
  async function settleRepeats(entries: readonly PendingWrite[]): Promise<PendingWrite[]> {
    const fresh: PendingWrite[] = []
    const repeated: PendingWrite[] = []
    // Every id is checked before the first answer is looked up, which reads the journal from its beginning.
    for (const entry of entries) {
      if (isRepeatable(entry) && (await history.log.knows(entry.id))) repeated.push(entry)
      // The same id twice in one round: the second waits until the first is written, and then gets its answer.
      else if (fresh.some(({ id }) => id === entry.id)) queue.postpone(entry)
      else fresh.push(entry)
    }
    for (const entry of repeated) await settleAsFirst(entry)
    return fresh
  }

  /** If the first answer cannot be read, only this write fails; the others of its round are written. */
  async function settleAsFirst(entry: PendingWrite): Promise<void> {
    try {
      settleSynced(entry, await firstResult(history.log, entry))
    } catch (error) {
      entry.fail(error)
    }
  }

  /** An answer that writes nothing may depend on records of another process that are not durable yet. */
  function settleSynced(entry: PendingWrite, result: Result): void {
    history.log.sync().then(() => entry.settle(result), entry.fail)
  }

  return {
    fold,
    get log() {
      return history.log
    },
    watchers,
    alone: queue.alone,
    refresh: () => queue.alone(() => toEnd()),
    run: (command, { id, by, mayRepeat, hasOwnRecord, until }) =>
      queue.add({ id, by, what: { command, mayRepeat, hasOwnRecord }, resolveOnWrite: until === 'written' }, false),
    send: (message, { id, by, mayRepeat }) => queue.add({ id, by, what: { message, mayRepeat } }, false),
    report: (facts, { id, by, until }) =>
      queue.add({ id, by, what: { facts }, resolveOnWrite: until === 'written' }, until === 'written'),
    idle: queue.idle,
  }
}

/** Wakes the watchers of a state that was folded again: it is no record, and has no id. */
const NOTHING_APPLIED: Applied = { seq: 0, id: '', at: 0, by: { name: 'user' }, events: [], effects: [], broken: 0 }
