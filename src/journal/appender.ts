import { type Answer, answer } from '../team/answers/answer.ts'
import type { Applied } from '../team/apply.ts'
import type { Command, MessageDraft } from '../team/command.ts'
import type { Author, TeamEvent } from '../team/event.ts'
import type { Effect } from '../team/message.ts'
import { isRefusal, type Refusal, refuse } from '../team/refusal.ts'
import { memberNamed, type TeamState } from '../team/state.ts'
import { type Batch, decideAll, type PendingWrite, type Result } from './batch.ts'
import { checkProcesses, hasProcessesToCheck, NO_PROCESSES } from './check-processes.ts'
import type { Clock } from './clock.ts'
import { type Fold, foldTo } from './fold/fold.ts'
import { openHistory } from './fold/history.ts'
import type { LostRecords } from './fold/recent-records.ts'
import { LeadershipLost } from './fold/rewound.ts'
import type { Appended, Fault, Log, LogRecord, Presence } from './log/store.ts'
import { OutcomeUnknown } from './log/store-errors.ts'
import { scheduler } from './scheduler.ts'

/** When something counts as done: what is `written` becomes durable with whatever is synced next. */
export type Until = 'written' | 'durable'

/** A log that is rewound again and again without anything being written in between is left alone. */
const REWINDS = 5

/**
 * The one place where this process writes to a team's journal. Commands wait in a line, are decided in order on the
 * freshly folded state and go out chained in one write; if another process decided meanwhile they are decided again.
 */
export interface Appender {
  readonly fold: Fold
  /** Another handle after it was rewound. */
  readonly log: Log
  /** Called with what each record did at its place, as soon as this process has folded it; never to throw. */
  readonly watchers: Set<(applied: Applied) => void>
  refresh(): Promise<void>
  run(command: Command, about: { id: string; by: Author; mayRepeat: boolean; until?: Until }): Promise<Answer | Refusal>
  send(
    letter: MessageDraft,
    about: { id: string; by: Author; mayRepeat: boolean },
  ): Promise<readonly Effect[] | Refusal>
  report(facts: readonly TeamEvent[], about: { id: string; by: Author; until?: Until }): Promise<readonly Effect[]>
  /** Runs while nothing is folded or written. */
  alone<T>(work: () => Promise<T>): Promise<T>
  /** Resolves when everything that was asked for is done. */
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
  /** The log lost its end and was folded again: this is what is gone. */
  onRewound(fault: Fault, gone: LostRecords): void
}): Promise<Appender> {
  const line: PendingWrite[] = []
  const written = new Map<string, readonly PendingWrite[]>()
  const watchers = new Set<(applied: Applied) => void>()
  let turn: Promise<unknown> = Promise.resolve()
  let working: Promise<void> | undefined
  let hurry = () => {}
  let arrivals = 0
  let rewindsInARow = 0
  let newlyApplied: Applied[] = []

  const history = await openHistory({
    log,
    self: presence.self,
    seen({ record }, applied, state, isNew) {
      const isAgain = state !== history.fold.state
      for (const entry of written.get(record.id) ?? []) {
        // One of its caller's own id may be another's: that is looked up like any repeat.
        if (!isAgain || !isRepeatable(entry)) entry.result = resultOf(entry, applied, state)
      }
      if (isAgain && isNew) newlyApplied.push(applied)
      else if (isNew) tell(applied)
    },
    forget() {
      newlyApplied = []
      for (const entry of [...written.values()].flat()) delete entry.result
    },
    onRewound(fault, gone) {
      onRewound(fault, gone)
      for (const applied of [...newlyApplied.splice(0), NOTHING]) tell(applied)
    },
  })
  const { fold, toEnd } = history

  function tell(applied: Applied): void {
    for (const watch of watchers) watch(applied)
  }

  function alone<T>(work: () => Promise<T>): Promise<T> {
    const next = turn.then(work, work)
    turn = next.catch(() => {})
    return next
  }

  function resultOf({ what, id, part }: PendingWrite, applied: Applied, state: TeamState): Result {
    const own = part ? { ...applied, events: applied.events.slice(...part) } : applied
    if ('command' in what) return answer(state, what.command, id, own)
    return 'letter' in what ? applied.effects.filter((effect) => effect.id === id) : applied.effects
  }

  /** `canWait`: no caller waits for these records, so records that arrive until the event loop is idle go with them. */
  async function work(canWait: boolean): Promise<void> {
    try {
      if (canWait)
        await new Promise<void>((resolve) => {
          hurry = resolve
          scheduler.whenIdle().then(resolve)
        })
      while (line.length > 0) {
        await history.log.holdBack(Math.max(...line.map((entry) => entry.tries)))
        await alone(round)
      }
    } catch (error) {
      for (const entry of line.splice(0)) entry.fail(error)
    } finally {
      working = undefined
    }
  }

  async function round(): Promise<void> {
    const entries = line.splice(0)
    try {
      await toEnd()
      let fresh: readonly PendingWrite[] = entries
      let around = NO_PROCESSES
      if (entries.some(isRepeatable) || hasProcessesToCheck(fold.state, entries)) {
        fresh = await notAnsweredBefore(entries)
        around = await checkProcesses(fold.state, presence, fresh)
        // Asking takes time, in which others go on writing.
        if (around !== NO_PROCESSES || entries.some(isRepeatable)) await toEnd()
      }
      if (history.rewinds > 0) fresh = fresh.filter(keepsItsPlace)
      // From here to the write nothing is awaited: every pause is a chance for another process to decide first.
      const batch = decideAll(fold, fresh, { ...around, now: clock.now(), self: presence.self })
      for (const { entry, result, rests } of batch.answers) {
        if (rests) continue
        if (isRefusal(result) || isEmpty(result)) entry.settle(result)
        else settleSynced(entry, result)
      }
      if (batch.records.length > 0) await write(batch)
    } catch (error) {
      // One that went back into the line is still to be carried out, and answered then.
      for (const entry of entries) if (!line.includes(entry)) entry.fail(error)
    }
  }

  /**
   * Who runs a member is told apart by its generation. Where that was lost with the end of the log, another process may
   * have been given the same one since, and both would count.
   */
  function keepsItsPlace({ by, fail }: PendingWrite): boolean {
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
      const appended = await history.log.append(records).catch(foundAgain)
      const { outcomes } = appended
      const counted = entries.filter((_, i) => outcomes[i] === 'accepted').flat()
      await toEnd(() => counted.every(({ result }) => result !== undefined)).catch((error) => {
        throw new OutcomeUnknown('the journal', [...written.keys()], error)
      })
      const isRewound = history.rewinds > before
      const again: PendingWrite[] = []
      for (const [i, { id }] of records.entries()) {
        for (const entry of entries[i] ?? []) {
          // What is not there any more was not acknowledged either: it is decided on what is there now.
          if (isRewound && entry.result === undefined) again.push({ ...entry })
          else if (isRewound || outcomes[i] === 'accepted') acknowledge(id, entry, appended)
          else if (outcomes[i] === 'conflict') again.push({ ...entry, tries: entry.tries + 1 })
          else await settleAsFirst(entry)
        }
      }
      for (const { entry, result } of answers.filter(({ rests }) => rests)) {
        if (again.length > 0) again.push(entry)
        else appended.durable.then(() => entry.settle(result), entry.fail)
      }
      line.unshift(...again.sort((a, b) => a.arrival - b.arrival))
    } finally {
      for (const { id } of records) written.delete(id)
    }
  }

  /** The log lost its end before this could be written: what became of it is known once that was folded again. */
  async function foundAgain(error: unknown): Promise<Appended> {
    await history.foldAgain(error)
    if (++rewindsInARow > REWINDS) throw error
    return { outcomes: [], durable: Promise.resolve() }
  }

  function acknowledge(record: string, entry: PendingWrite, appended: Appended): void {
    const result = entry.result ?? []
    rewindsInARow = 0
    history.acknowledged(record, () => ({ id: entry.id, what: inAWord(entry) }))
    if (entry.resolveOnWrite) entry.settle(result)
    else appended.durable.then(() => entry.settle(result), entry.fail)
  }

  /** A repeated command id gets the first answer, whatever the board looks like by now. */
  async function notAnsweredBefore(entries: readonly PendingWrite[]): Promise<PendingWrite[]> {
    const fresh: PendingWrite[] = []
    const repeated: PendingWrite[] = []
    // All are asked about before any is looked up: that reads the journal from its beginning.
    for (const entry of entries) {
      if (isRepeatable(entry) && (await history.log.knows(entry.id))) repeated.push(entry)
      // Asked for twice at once: the second waits until the first is written, and then gets its answer.
      else if (fresh.some(({ id }) => id === entry.id)) line.push(entry)
      else fresh.push(entry)
    }
    for (const entry of repeated) await settleAsFirst(entry)
    return fresh
  }

  /** One whose first answer cannot be read fails alone; its neighbours were written all the same. */
  async function settleAsFirst(entry: PendingWrite): Promise<void> {
    try {
      settleSynced(entry, await firstResult(entry))
    } catch (error) {
      entry.fail(error)
    }
  }

  /** "It is already so" may rest on what another process wrote and has not synced yet. */
  function settleSynced(entry: PendingWrite, result: Result): void {
    history.log.sync().then(() => entry.settle(result), entry.fail)
  }

  async function firstResult({ id, what }: PendingWrite): Promise<Result> {
    const first = await foldTo(history.log, id)
    if (!first) throw new Error(`The record ${id} was accepted but cannot be found.`)
    const { record } = first.recorded
    if ('facts' in what) return first.applied.effects
    if ('letter' in what) return record.command === undefined ? first.applied.effects : idTaken(record)
    return record.command === what.command.type ? answer(first.state, what.command, id, first.applied) : idTaken(record)
  }

  function enter<T>(
    id: string,
    by: Author,
    what: PendingWrite['what'],
    resolveOnWrite = false,
    canWait = false,
  ): Promise<T> {
    return new Promise<T>((resolve, fail) => {
      const settle = (result: Result) => resolve(result as T)
      line.push({ id, by, what, arrival: arrivals++, tries: 0, resolveOnWrite, settle, fail })
      if (!canWait) hurry()
      working ??= work(canWait)
    })
  }

  return {
    fold,
    get log() {
      return history.log
    },
    watchers,
    alone,
    refresh: () => alone(() => toEnd()),
    run: (command, { id, by, mayRepeat, until }) => enter(id, by, { command, mayRepeat }, until === 'written'),
    send: (letter, { id, by, mayRepeat }) => enter(id, by, { letter, mayRepeat }),
    report: (facts, { id, by, until }) => enter(id, by, { facts }, until === 'written', until === 'written'),
    async idle() {
      while (working) await working
      await turn
    },
  }
}

/** Wakes the watchers of a state that was folded again. */
const NOTHING: Applied = { by: { name: 'user' }, events: [], effects: [], broken: 0 }

function inAWord({ what }: PendingWrite): string {
  if ('command' in what) return what.command.type
  return 'letter' in what ? `message to ${what.letter.to}` : what.facts.map(({ type }) => type).join(', ')
}

function idTaken({ id, command = 'a message' }: LogRecord): Refusal {
  return refuse('command_id_taken', { id, usedFor: String(command) })
}

/** Nothing to claim: that promises nothing which could be lost. */
function isEmpty({ tasks }: Answer): boolean {
  return tasks?.length === 0
}

/** Was it given an id of the caller's own, under which it may have been carried out before? */
function isRepeatable({ what }: PendingWrite): boolean {
  return 'mayRepeat' in what && what.mayRepeat
}
