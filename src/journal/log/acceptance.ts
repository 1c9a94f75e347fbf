import { createIdTable, type KeptIds } from './id-table.ts'
import type { LogRecord } from './store.ts'

/** `broken`: names a decision that never was in this log, so the log lost something. */
type Verdict = 'accepted' | 'refused' | 'repeated' | 'broken'

/** The rule by which every reader of a log, in any process, comes to the same verdict on each record. */
export interface Chain {
  /** The id of the last accepted conditional record, '' before the first. */
  readonly last: string
  /** Still remembers every record of the log. */
  readonly complete: boolean
  judge(record: LogRecord): Verdict
  /** Did a record with this id appear, accepted or not? Only the latest 100,000 to 200,000 records are remembered. */
  knows(id: string): boolean
  /** Did one of them count? */
  accepted(id: string): boolean
  /** A decision that counted here can no longer be read: nothing conditional counts from here on. */
  lose(): void
  keep(): KeptChain
}

/** What a snapshot keeps of it. */
export interface KeptChain {
  readonly last: string
  readonly complete: boolean
  readonly older: KeptIds
  readonly newer: KeptIds
  readonly count: number
}

const GENERATION = 100_000

/**
 * A conditional record counts only if `after` is still the last accepted decision at its place. Ids of a fixed number
 * of latest records are remembered in two generations, turned over by counting records, so that what is remembered
 * depends on the log alone and all readers forget alike.
 */
export function createChain(kept?: KeptChain): Chain {
  let last: string | undefined = kept?.last ?? ''
  let complete = kept?.complete ?? true
  let older = createIdTable(kept?.older)
  let newer = createIdTable(kept?.newer)
  let count = kept?.count ?? 0

  function decide(after: string): Verdict {
    if (after === last) return 'accepted'
    if (after === '' || appeared(after)) return 'refused'
    return complete ? 'broken' : 'refused'
  }

  const appeared = (id: string) => newer.get(id) !== undefined || older.get(id) !== undefined

  const counted = (id: string) => newer.get(id) || older.get(id) || false

  return {
    get last() {
      return last ?? ''
    },
    get complete() {
      return complete
    },
    knows: appeared,
    accepted: counted,
    judge(record) {
      if (counted(record.id)) return note(record.id, 'repeated')
      const verdict = record.after === undefined ? 'accepted' : decide(record.after)
      if (verdict === 'broken') return verdict
      if (verdict === 'accepted' && record.after !== undefined) last = record.id
      return note(record.id, verdict)
    },
    lose() {
      last = undefined
    },
    keep() {
      return { last: last ?? '', complete, older: older.keep(), newer: newer.keep(), count }
    },
  }

  function note(id: string, verdict: Verdict): Verdict {
    if (verdict !== 'repeated') newer.set(id, verdict === 'accepted')
    if (++count === GENERATION) {
      complete &&= older.size === 0
      older = newer
      newer = createIdTable()
      count = 0
    }
    return verdict
  }
}
