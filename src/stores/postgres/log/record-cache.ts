import type { Cursor } from '../../../journal/log/cursor.ts'
import type { LogRecord } from '../../../journal/log/store.ts'

/** `whole`: with all texts. `references`: with short references in place of long texts. */
export type TextForm = 'whole' | 'references'

/** An accepted record as it is in the database, with references in place of long texts. */
export interface Stored {
  readonly seq: number
  readonly record: LogRecord
  /** In bytes. */
  readonly size: { readonly whole: number; readonly references: number }
}

const MAX_CACHE_BYTES = 4 * 1024 * 1024
const MAX_BATCH_BYTES = 256 * 1024

export interface Position {
  readonly seq: number
  readonly id: string
}

/**
 * The records that were fetched last, for all handles of this process on one log. Numbers have no gaps, so a position is
 * an index.
 */
export function createRecordCache() {
  let before: Position = { seq: 0, id: '' }
  let records: Stored[] = []
  let bytes = 0

  const end = (): Position => {
    const last = records.at(-1)
    return last ? { seq: last.seq, id: last.record.id } : before
  }

  return {
    get end(): Position {
      return end()
    },
    /** Adds the records that follow the end, without repeats and gaps. Returns how many were added. */
    push(fetched: readonly Stored[]): number {
      if (bytes > MAX_CACHE_BYTES) {
        before = end()
        records = []
        bytes = 0
      }
      const count = records.length
      for (const stored of fetched) {
        if (stored.seq !== end().seq + 1) continue
        records.push(stored)
        bytes += stored.size.references
      }
      return records.length - count
    },
    /** Empties the cache; the next record follows `at`. */
    restart(at: Position): void {
      before = { seq: at.seq, id: at.id }
      records = []
      bytes = 0
    },
    /** Whether every fetched record after this position is here. */
    reaches: ({ seq }: Position) => seq >= before.seq && seq <= end().seq,
    /** Whether another record was read at this position. */
    contradicts({ seq, id }: Position): boolean {
      if (seq === 0) return false
      return id !== (seq === before.seq ? before.id : records[seq - before.seq - 1]?.record.id)
    },
    /** The records after `from`, in a bounded batch. */
    after(from: Cursor, form: TextForm): readonly Stored[] {
      return bounded(records.slice(from.seq - before.seq), form)
    },
  }
}

/** As many as fit into a batch, at least one. */
export function bounded(records: readonly Stored[], form: TextForm): readonly Stored[] {
  let bytes = 0
  const tooMany = records.findIndex(({ size }) => {
    bytes += size[form]
    return bytes - size[form] >= MAX_BATCH_BYTES
  })
  return tooMany < 0 ? records : records.slice(0, tooMany)
}
