import type { Cursor, LogRecord } from '../../../journal/store.ts'

/** An accepted record as it lies in the database: long texts are tickets. */
export interface Stored {
  readonly seq: number
  readonly record: LogRecord
  /** Bytes of it with all its texts, and without those put aside. */
  readonly size: { readonly whole: number; readonly aside: number }
}

/** How much of what was read already is kept for handles that are behind, in bytes. */
const KEEP = 4 * 1024 * 1024
const BATCH = 256 * 1024

export interface Place {
  readonly seq: number
  readonly id: string
}

/**
 * The records fetched last, shared by all handles of this process on one log. Numbers have no gaps, so a place is an
 * index.
 */
export function createRecent() {
  let before: Place = { seq: 0, id: '' }
  let records: Stored[] = []
  let bytes = 0

  const end = (): Place => {
    const last = records.at(-1)
    return last ? { seq: last.seq, id: last.record.id } : before
  }

  return {
    get end(): Place {
      return end()
    },
    /** Takes what follows the end; what is there already, or would leave a gap, is left out. Returns how many. */
    push(fetched: readonly Stored[]): number {
      if (bytes > KEEP) {
        before = end()
        records = []
        bytes = 0
      }
      const count = records.length
      for (const stored of fetched) {
        if (stored.seq !== end().seq + 1) continue
        records.push(stored)
        bytes += stored.size.aside
      }
      return records.length - count
    },
    /** Begins anew behind a place that is known to be one. */
    begin(at: Place): void {
      before = { seq: at.seq, id: at.id }
      records = []
      bytes = 0
    },
    /** Is this place among what is kept? */
    reaches: ({ seq }: Place) => seq >= before.seq && seq <= end().seq,
    /** Was another record there when we read it? */
    contradicts({ seq, id }: Place): boolean {
      if (seq === 0) return false
      return id !== (seq === before.seq ? before.id : records[seq - before.seq - 1]?.record.id)
    },
    /** What follows, in a bounded batch. */
    after(from: Cursor, which: 'whole' | 'aside'): readonly Stored[] {
      return bounded(records.slice(from.seq - before.seq), which)
    },
  }
}

/** As many as fit, one at least. */
export function bounded(records: readonly Stored[], which: 'whole' | 'aside'): readonly Stored[] {
  let bytes = 0
  const tooMany = records.findIndex(({ size }) => {
    bytes += size[which]
    return bytes - size[which] >= BATCH
  })
  return tooMany < 0 ? records : records.slice(0, tooMany)
}
