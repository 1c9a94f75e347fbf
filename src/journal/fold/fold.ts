import { type Applied, apply } from '../../team/apply.ts'
import { dumpState, stateFrom } from '../../team/fold/snapshot.ts'
import { emptyState, FOLD_VERSION, type TeamState } from '../../team/state.ts'
import { advance, type Cursor, START } from '../log/cursor.ts'
import type { Log, Recorded } from '../log/store.ts'

/**
 * Folding this many records is worth a snapshot: the next process then opens at once. Processes that fold the same
 * records come to that number at the same moment, so each has its own between this and twice as many.
 */
const SNAPSHOT_RECORDS = 5_000
/**
 * The same for few records that are long. It doubles with each snapshot: how large the state is, which each snapshot
 * holds whole, is not known here.
 */
const SNAPSHOT_BYTES = 1024 * 1024

/** A team's state, as far as this process has folded the journal. */
export interface Fold {
  readonly state: TeamState
  readonly cursor: Cursor
  /** Folds all there is, or until it is enough; `seen` learns what each record did at its place. */
  toEnd(seen: (recorded: Recorded, applied: Applied) => void, isEnough?: () => boolean): Promise<void>
  /**
   * Folds another handle from its beginning, and continues with that one. Until `agree` has returned nothing changes
   * here; `seen` is given the state at each place.
   */
  refold(
    log: Log,
    seen: (recorded: Recorded, applied: Applied, state: TeamState) => void,
    agree: (state: TeamState) => void,
  ): Promise<void>
}

export async function openFold(first: Log, self: string): Promise<Fold> {
  let log = first
  const spread = 1 + (sumOf(self) % SNAPSHOT_RECORDS) / SNAPSHOT_RECORDS
  let worthBytes = SNAPSHOT_BYTES * spread
  const saved = await log.restore(FOLD_VERSION)
  let state = saved ? stateFrom(saved.state) : emptyState()
  let cursor = saved?.cursor ?? START
  let unsaved = { records: 0, bytes: 0 }
  return {
    get state() {
      return state
    },
    get cursor() {
      return cursor
    },
    async toEnd(seen, isEnough = () => false) {
      while (!isEnough()) {
        const batch = await log.read(cursor)
        if (batch.length === 0) break
        for (const recorded of batch) {
          const applied = apply(state, recorded.seq, recorded.record)
          cursor = advance(cursor, recorded)
          seen(recorded, applied)
          unsaved.bytes += recorded.bytes ?? 0
        }
        unsaved.records += batch.length
      }
      if (unsaved.records < SNAPSHOT_RECORDS * spread && unsaved.bytes < worthBytes) return
      unsaved = { records: 0, bytes: 0 }
      worthBytes *= 2
      await log.save(FOLD_VERSION, cursor, () => dumpState(state))
    },
    async refold(next, seen, agree) {
      let last = { state: emptyState(), cursor: START }
      for await (const step of fromBeginning(next)) {
        seen(step.recorded, step.applied, step.state)
        last = step
      }
      agree(last.state)
      log = next
      state = last.state
      cursor = last.cursor
      unsaved = { records: 0, bytes: 0 }
    },
  }
}

/** The state right behind one record, and what that record did; undefined if it is not there. */
export async function foldTo(log: Log, id: string): Promise<Step | undefined> {
  for await (const step of fromBeginning(log)) if (step.recorded.record.id === id) return step
  return undefined
}

interface Step {
  readonly state: TeamState
  readonly cursor: Cursor
  readonly recorded: Recorded
  readonly applied: Applied
}

/** Folds a log into a state of its own, record by record. */
async function* fromBeginning(log: Log): AsyncGenerator<Step, void> {
  const state = emptyState()
  let cursor = START
  for (let batch = await log.read(cursor); batch.length > 0; batch = await log.read(cursor)) {
    for (const recorded of batch) {
      const applied = apply(state, recorded.seq, recorded.record)
      cursor = advance(cursor, recorded)
      yield { state, cursor, recorded, applied }
    }
  }
}

function sumOf(text: string): number {
  let sum = 0
  for (const unit of text) sum = (sum * 31 + unit.charCodeAt(0)) >>> 0
  return sum
}
