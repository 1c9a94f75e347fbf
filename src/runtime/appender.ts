import type { Clock } from '../ports/clock.ts'
import type { Log, LogRecord, Presence } from '../ports/store.ts'
import { OutcomeUnknown } from '../ports/store-errors.ts'
import { type Answer, answer } from '../team/answer.ts'
import type { Applied, Effect } from '../team/apply.ts'
import type { Command, Letter } from '../team/command.ts'
import type { Author, TeamEvent } from '../team/event.ts'
import { isRefusal, type Refusal, refuse } from '../team/refusal.ts'
import { type Batch, decideAll, type Entry, type Result } from './batch.ts'
import { type Fold, foldTo, openFold } from './fold.ts'
import { hasSurroundings, lookAround, type Surroundings } from './look-around.ts'

/** When facts count as reported: `written` ones become durable with whatever is synced next. */
export type Until = 'written' | 'durable'

const NOBODY: Surroundings = { gone: new Set(), unknown: new Set() }

/**
 * The one place where this process writes to a team's journal. Commands wait in a line, are decided in order on the
 * freshly folded state and go out chained in one write; if somebody else decided meanwhile they are decided again.
 */
export interface Appender {
  readonly fold: Fold
  /** Called with what each record did at its place, as soon as this process has folded it; never to throw. */
  readonly watchers: Set<(applied: Applied) => void>
  refresh(): Promise<void>
  run(command: Command, about: { id: string; by: Author; mayRepeat: boolean }): Promise<Answer | Refusal>
  send(letter: Letter, about: { id: string; by: Author; mayRepeat: boolean }): Promise<readonly Effect[] | Refusal>
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
}: {
  log: Log
  presence: Presence
  clock: Clock
}): Promise<Appender> {
  const fold = await openFold(log, presence.self)
  const line: Entry[] = []
  const written = new Map<string, readonly Entry[]>()
  const watchers = new Set<(applied: Applied) => void>()
  let turn: Promise<unknown> = Promise.resolve()
  let working: Promise<void> | undefined
  let arrivals = 0

  function alone<T>(work: () => Promise<T>): Promise<T> {
    const next = turn.then(work, work)
    turn = next.catch(() => {})
    return next
  }

  const toEnd = (isEnough?: () => boolean) =>
    fold.toEnd(({ record }, applied) => {
      for (const entry of written.get(record.id) ?? []) entry.result = resultOf(entry, applied)
      for (const watch of watchers) watch(applied)
    }, isEnough)

  function resultOf({ what, id, part }: Entry, applied: Applied): Result {
    const own = part ? { ...applied, events: applied.events.slice(...part) } : applied
    if ('command' in what) return answer(fold.state, what.command, id, own)
    return 'letter' in what ? applied.effects.filter((effect) => effect.id === id) : applied.effects
  }

  async function work(): Promise<void> {
    try {
      while (line.length > 0) {
        await log.fair(Math.max(...line.map((entry) => entry.tries)))
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
      let fresh: readonly Entry[] = entries
      let around = NOBODY
      if (entries.some(isRepeatable) || hasSurroundings(fold.state, entries)) {
        fresh = await notAnsweredBefore(entries)
        around = await lookAround(fold.state, presence, fresh)
        await toEnd()
      }
      // From here to the write nothing is awaited: every pause is a chance for somebody else to decide first.
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

  async function write({ records, entries, answers }: Batch): Promise<void> {
    for (const [i, { id }] of records.entries()) written.set(id, entries[i] ?? [])
    try {
      // Looking at `durable` is what begins a sync, so nobody does for facts that can wait.
      const appended = await log.append(records)
      const { outcomes } = appended
      const counted = entries.filter((_, i) => outcomes[i] === 'accepted').flat()
      await toEnd(() => counted.every(({ result }) => result !== undefined)).catch((error) => {
        throw new OutcomeUnknown('the journal', [...written.keys()], error)
      })
      const again: Entry[] = []
      for (const [entry, outcome] of entries.flatMap((all, i) => all.map((one) => [one, outcomes[i]] as const))) {
        if (outcome === 'accepted' && entry.isContent) entry.settle(entry.result ?? [])
        else if (outcome === 'accepted') appended.durable.then(() => entry.settle(entry.result ?? []), entry.fail)
        else if (outcome === 'conflict') again.push({ ...entry, tries: entry.tries + 1 })
        else await settleAsFirst(entry)
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

  /** A repeated command id gets the first answer, whatever the board looks like by now. */
  async function notAnsweredBefore(entries: readonly Entry[]): Promise<Entry[]> {
    const fresh: Entry[] = []
    const repeated: Entry[] = []
    // All are asked about before any is looked up: that reads the journal from its beginning.
    for (const entry of entries) {
      if (isRepeatable(entry) && (await log.knows(entry.id))) repeated.push(entry)
      // Asked for twice at once: the second waits until the first is written, and then gets its answer.
      else if (fresh.some(({ id }) => id === entry.id)) line.push(entry)
      else fresh.push(entry)
    }
    for (const entry of repeated) await settleAsFirst(entry)
    return fresh
  }

  /** One whose first answer cannot be read fails alone; its neighbours were written all the same. */
  async function settleAsFirst(entry: Entry): Promise<void> {
    try {
      settleSynced(entry, await firstResult(entry))
    } catch (error) {
      entry.fail(error)
    }
  }

  /** "It is already so" may rest on what another process wrote and has not synced yet. */
  function settleSynced(entry: Entry, result: Result): void {
    log.sync().then(() => entry.settle(result), entry.fail)
  }

  async function firstResult({ id, what }: Entry): Promise<Result> {
    const first = await foldTo(log, id)
    if (!first) throw new Error(`The record ${id} was accepted but cannot be found.`)
    const { record } = first.recorded
    if ('facts' in what) return first.applied.effects
    if ('letter' in what) return record.command === undefined ? first.applied.effects : idTaken(record)
    return record.command === what.command.type ? answer(first.state, what.command, id, first.applied) : idTaken(record)
  }

  function enter<T>(id: string, by: Author, what: Entry['what'], isContent = false): Promise<T> {
    return new Promise<T>((resolve, fail) => {
      const settle = (result: Result) => resolve(result as T)
      line.push({ id, by, what, arrival: arrivals++, tries: 0, isContent, settle, fail })
      working ??= work()
    })
  }

  return {
    fold,
    watchers,
    alone,
    refresh: () => alone(() => toEnd()),
    run: (command, { id, by, mayRepeat }) => enter(id, by, { command, mayRepeat }),
    send: (letter, { id, by, mayRepeat }) => enter(id, by, { letter, mayRepeat }),
    report: (facts, { id, by, until }) => enter(id, by, { facts }, until === 'written'),
    async idle() {
      while (working) await working
      await turn
    },
  }
}

function idTaken({ id, command = 'a message' }: LogRecord): Refusal {
  return refuse('command_id_taken', `The command id ${id} was used for ${String(command)}. Choose another.`)
}

/** Nothing to claim: that promises nothing which could be lost. */
function isEmpty({ tasks }: Answer): boolean {
  return tasks?.length === 0
}

/** Was it given an id of the caller's own, under which it may have been carried out before? */
function isRepeatable({ what }: Entry): boolean {
  return 'mayRepeat' in what && what.mayRepeat
}
