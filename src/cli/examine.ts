import { join } from 'node:path'
import { type Audited, advance, type Cursor, type Fault, type Log, START } from '../ports/store.ts'
import { apply } from '../team/apply.ts'
import { createInvariants } from '../team/invariants.ts'
import { emptyState, type TeamState } from '../team/state.ts'

/** What is wrong at a place of the journal. */
export type Problem = Pick<Fault, 'path' | 'line' | 'offset' | 'detail'> & {
  readonly kind: Audited['verdict'] | 'unreadable event' | 'broken invariant' | 'cut off'
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
  /** What counted once and no longer does, in words. */
  readonly lost: readonly string[]
}

export function journalOf(root: string, team: string): string {
  return join(root, '.teams', team, 'journal.jsonl')
}

export async function examine(log: Log, root: string, team: string): Promise<Examined> {
  const path = journalOf(root, team)
  const details = await detailsOf(log)
  const state = emptyState()
  const invariants = createInvariants()
  const counts = { accepted: 0, refused: 0, repeated: 0, torn: 0 }
  const problems: Problem[] = []
  // Refused lines behind damage: they lost against a decision that can no longer be read, unless one counts after it.
  let doubtful: string[] = []
  const lost: string[] = []
  let stopped = false
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
        if (record.after !== undefined) doubtful = []
        const { events, broken } = apply(state, seq, record)
        if (broken > 0) problem('unreadable event', `record ${record.id} holds ${broken} that cannot be read`)
        for (const detail of invariants.after(state, events)) problem('broken invariant', detail)
      } else if (verdict === 'torn' || verdict === 'refused' || verdict === 'repeated') {
        counts[verdict]++
        if (verdict === 'refused' && problems.length > 0) doubtful.push(words(audited))
      } else if (stopped) lost.push(words(audited))
      else {
        problem(verdict, details.get(offset) ?? 'it cannot be read')
        lost.push(words(audited))
        stopped = verdict === 'broken chain' || verdict === 'needs newer'
      }
    }
  }
  for (const detail of invariants.atEnd(state)) {
    if (!problems.some((known) => known.detail === detail))
      problems.push({ kind: 'broken invariant', path, ...last, detail })
  }
  return { path, first, state, counts, problems, lost: [...lost, ...doubtful] }
}

/** What the reader itself has to say about each place, by offset. */
async function detailsOf(log: Log): Promise<ReadonlyMap<number, string>> {
  let at: Cursor = START
  for (let batch = await log.read(at); batch.length > 0; batch = await log.read(at)) at = batch.reduce(advance, at)
  return new Map(log.faults().map(({ offset, detail }) => [offset, detail]))
}

function words({ verdict, line, offset, record }: Audited): string {
  const events = Array.isArray(record?.events) ? record.events : []
  const types = events.map((event) =>
    typeof event === 'object' && event && 'type' in event ? String(event.type) : '?',
  )
  const what = record ? `${types.join(', ')} (record ${record.id})` : 'unreadable'
  return `line ${line} (byte ${offset}): ${verdict}: ${what}`
}
