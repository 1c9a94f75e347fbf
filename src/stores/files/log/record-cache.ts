import type { Cursor } from '../../../journal/log/cursor.ts'
import type { Recorded } from '../../../journal/log/store.ts'

/**
 * How much is kept of the records that were read, and of those that were not, in bytes of the file. The garbage collector copies
 * kept records again and again, so few that were read are kept.
 */
const KEEP_READ_BYTES = 64 * 1024
const KEEP_UNREAD_BYTES = 32 * 1024 * 1024
const MAX_BATCH_BYTES = 256 * 1024

/**
 * The accepted records that were scanned last. Reading back an own line and folding it share one parse: `append` scans, `read`
 * returns what the scan found.
 */
export function createRecordCache(start: Position) {
  let before = start
  let records: Recorded[] = []

  return {
    /** The last accepted record that was scanned. */
    get last(): Position {
      return records.at(-1) ? positionOf(records.at(-1)!) : before
    },
    push(recorded: Recorded): void {
      records.push(recorded)
      if (recorded.seq - before.seq > KEEP_UNREAD_BYTES) dropUpTo(records[records.length >> 1]!.seq)
    },
    /** Whether every scanned record after `from` is still here. */
    reachesBackTo: (from: Cursor) => from.seq >= before.seq,
    /** The records after `from` in a bounded batch; undefined if `from` is not a position in this log. */
    after(from: Cursor): readonly Recorded[] | undefined {
      const at = indexAfter(from.seq)
      const there = at === 0 ? before : positionOf(records[at - 1]!)
      if (there.seq !== from.seq || there.id !== from.id) return undefined
      let end = at
      while (end < records.length && (end === at || records[end]!.seq - from.seq <= MAX_BATCH_BYTES)) end++
      const batch = records.slice(at, end)
      if (from.seq - before.seq > KEEP_READ_BYTES) dropUpTo(from.seq)
      return batch
    },
  }

  function dropUpTo(seq: number): void {
    const count = indexAfter(seq)
    if (count === 0) return
    before = positionOf(records[count - 1]!)
    records = records.slice(count)
  }

  /** The index of the first record behind `seq`. */
  function indexAfter(seq: number): number {
    let low = 0
    let high = records.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (records[middle]!.seq <= seq) low = middle + 1
      else high = middle
    }
    return low
  }
}

interface Position {
  readonly seq: number
  readonly id: string
}

function positionOf({ seq, record }: Recorded): Position {
  return { seq, id: record.id }
}
