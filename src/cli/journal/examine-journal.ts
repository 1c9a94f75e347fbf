import { advance, type Cursor, START } from '../../journal/log/cursor.ts'
import type { Audited, Fault, Log, LogRecord } from '../../journal/log/store.ts'
import { faultText } from '../../journal/log/store-errors.ts'
import { type Applied, apply } from '../../team/apply.ts'
import { factTypes, readEvent } from '../../team/event.ts'
import { createInvariants } from '../../team/fold/invariants.ts'
import { emptyState, type TeamState } from '../../team/state.ts'

/** What is wrong at one position of the journal. */
export type Problem = Pick<Fault, 'path' | 'line' | 'offset' | 'detail'> & {
  readonly kind: Audited['verdict'] | 'unreadable event' | 'broken invariant' | 'cut off' | 'missing'
}

/** A journal, read line by line and folded from its beginning, without any snapshot. */
export interface Examined {
  readonly path: string
  /** The id of the first record that counts: the team's, by which it is trusted. */
  readonly first: string | undefined
  /** Everything that counts, damaged lines skipped. */
  readonly state: TeamState
  readonly counts: { accepted: number; refused: number; repeated: number; torn: number }
  readonly problems: readonly Problem[]
  /** Something that was written can no longer be read. */
  readonly isBroken: boolean
  /** In a broken journal: records that no longer count, and mail that no longer reaches its recipient; in words. */
  readonly lost: readonly string[]
  /**
   * Facts behind a broken chain, in order. No reader gets that far, and `state` lacks them; but they depend on no
   * decision, so they count again as soon as the journal before them is whole.
   */
  readonly beyond: readonly Fact[]
}

/** A line that always counts. */
export type Fact = Audited & { readonly record: LogRecord }

export async function examine(log: Log, path: string): Promise<Examined> {
  const details = await detailsOf(log)
  const state = emptyState()
  const invariants = createInvariants()
  const counts = { accepted: 0, refused: 0, repeated: 0, torn: 0 }
  const problems: Problem[] = []
  // Refused lines behind damage: they lost against a decision that can no longer be read, unless one counts after it.
  let doubtful: string[] = []
  // Mail that bounced since the last decision: its recipient may have joined by a decision that is lost.
  let unreached: string[] = []
  const lost: string[] = []
  const beyond = new Map<string, Fact>()
  let stop: 'broken chain' | 'needs newer' | undefined
  let first: string | undefined
  let last = { line: 1, offset: 0 }

  for await (const batch of log.audit()) {
    for (const audited of batch) {
      const { verdict, line, offset, seq, record } = audited
      const problem = (kind: Problem['kind'], detail: string) => problems.push({ kind, path, line, offset, detail })
      last = { line, offset }
      if (verdict === 'accepted' && record) {
        counts.accepted++
        first ??= record.id
        const applied = apply(state, seq, record)
        const { events, broken } = applied
        if (record.after === undefined) unreached.push(...bounces(audited, applied))
        else [doubtful, unreached] = [[], []]
        if (broken > 0) problem('unreadable event', `record ${record.id} holds ${broken} that cannot be read`)
        for (const detail of invariants.after(state, events)) problem('broken invariant', detail)
      } else if (verdict === 'torn' || verdict === 'refused' || verdict === 'repeated') {
        counts[verdict]++
        if (verdict === 'refused' && problems.length > 0) doubtful.push(words(audited))
      } else if (stop === 'broken chain' && isFact(audited)) {
        if (beyond.has(audited.record.id) || (await log.knows(audited.record.id))) counts.repeated++
        else beyond.set(audited.record.id, audited)
      } else {
        lost.push(words(audited))
        if (!stop) problem(verdict, details.get(offset) ?? 'it cannot be read')
        // Reading stopped before it, so no fault names it; only a version that can read it may archive it.
        else if (verdict === 'needs newer' && verdict !== stop) problem(verdict, NEWER)
        if (verdict === 'broken chain' || verdict === 'needs newer') stop ??= verdict
      }
    }
  }
  for (const detail of invariants.atEnd(state)) {
    if (!problems.some((known) => known.detail === detail))
      problems.push({ kind: 'broken invariant', path, ...last, detail })
  }
  const isBroken = problems.some(({ kind }) => kind === 'damaged' || kind === 'broken chain')
  const gone = isBroken ? [...lost, ...doubtful, ...unreached] : []
  return { path, first, state, counts, problems, isBroken, lost: gone, beyond: [...beyond.values()] }
}

/** The messages of a fact that no longer reach their recipients, in words. */
export function bounces({ line, offset }: Audited, { events, effects }: Applied): string[] {
  // Rejected lines of inbox files never reached a recipient.
  const rejected = events.map((event) => event.type === 'external.rejected' && `${event.archive}:${event.offset}`)
  return effects
    .filter(({ id, outcome }) => outcome === 'bounced' && !rejected.includes(id))
    .map(({ id, to, reason }) => `line ${line} (byte ${offset}): bounced: message ${id} to ${to}: ${reason}`)
}

const NEWER = 'a newer version of deskmates wrote it: install that one'

/**
 * Written without condition, and nothing in it that should have had one: where a decision is missing, none may slip in.
 * What a newer version calls by a name we do not know is its own to judge.
 */
function isFact(audited: Audited): audited is Fact {
  const { record } = audited
  if (!record || record.after !== undefined || !Array.isArray(record.events)) return false
  return record.events
    .map(readEvent)
    .every((event) => event === 'unknown' || (event !== 'broken' && FACTS.has(event.type)))
}

const FACTS = new Set<string>(factTypes)

/** The faults that the reader itself reports, by offset. */
async function detailsOf(log: Log): Promise<ReadonlyMap<number, string>> {
  let at: Cursor = START
  for (let batch = await log.read(at); batch.length > 0; batch = await log.read(at)) at = batch.reduce(advance, at)
  return new Map(log.faults().map((fault) => [fault.offset, faultText(fault)]))
}

function words({ verdict, line, offset, record }: Audited): string {
  const events = Array.isArray(record?.events) ? record.events : []
  const types = events.map((event) =>
    typeof event === 'object' && event && 'type' in event ? String(event.type) : '?',
  )
  const what = record ? `${types.join(', ')} (record ${record.id})` : 'unreadable'
  return `line ${line} (byte ${offset}): ${verdict}: ${what}`
}
