import type { Applied } from '../../team/apply.ts'
import type { TeamState } from '../../team/state.ts'
import type { Fault, Log, Recorded } from '../log/store.ts'
import { JournalReplaced, rewoundBy } from '../log/store-errors.ts'
import { type Fold, openFold } from './fold.ts'
import { type Acknowledgement, createRecentRecords, type LostRecords } from './recent-records.ts'

/** The journal as this process knows it: its log, the fold of it, and how to continue when the log lost its end. */
export interface History {
  readonly fold: Fold
  /** Another one after each rewind. */
  readonly log: Log
  /** How often it was rewound. */
  readonly rewinds: number
  toEnd(isEnough?: () => boolean): Promise<void>
  /** Folds from the beginning if that is why this was thrown, and throws it on if not. */
  foldAgain(error: unknown): Promise<void>
  /** This record was acknowledged to a caller. */
  acknowledged(record: string, acknowledgement: () => Acknowledgement): void
}

export interface HistoryOptions {
  readonly log: Log
  readonly self: string
  /** What each record did, with the state at its place. After a rewind records are seen again, the new ones as `isNew`. */
  seen(recorded: Recorded, applied: Applied, state: TeamState, isNew: boolean): void
  /** It is about to be folded from the beginning: what was seen before may not be there. */
  forget(): void
  /** It lost its end and was folded again: this is what is lost. */
  onRewound(fault: Fault, lost: LostRecords): void
}

export async function openHistory({ self, seen, forget, onRewound, ...options }: HistoryOptions): Promise<History> {
  let { log } = options
  const fold = await openFold(log, self)
  /** Kept only where it may be needed. */
  let recent = log.reopen && createRecentRecords(fold.cursor.seq)
  let rewinds = 0

  async function foldAgain(error: unknown): Promise<void> {
    const fault = rewoundBy(error)
    if (!fault || !log.reopen || !recent) throw error
    const next = await log.reopen()
    const comparison = recent.compare()
    forget()
    try {
      await fold.refold(
        next,
        (recorded, applied, state) => seen(recorded, applied, state, comparison.see(recorded.seq, recorded.record.id)),
        (state) => agree(state, fault),
      )
    } catch (again) {
      await next.close()
      throw again
    }
    const old = log
    log = next
    rewinds++
    const { lost, recent: since } = comparison.end()
    recent = since
    await old.close()
    onRewound(fault, lost)
  }

  /** Fails if the log now holds another team of the same name. */
  function agree(found: TeamState, fault: Fault): void {
    if (found.team.get()?.id === fold.state.team.get()?.id) return
    throw new JournalReplaced({ ...fault, kind: 'replaced', detail: `${fault.detail}, and this is another team now` })
  }

  return {
    fold,
    get log() {
      return log
    },
    get rewinds() {
      return rewinds
    },
    toEnd: (isEnough) =>
      fold
        .toEnd((recorded, applied) => {
          recent?.folded(recorded.seq, recorded.record.id)
          seen(recorded, applied, fold.state, true)
        }, isEnough)
        .catch(foldAgain),
    foldAgain,
    acknowledged: (record, acknowledgement) => recent?.acknowledged(record, acknowledgement()),
  }
}
