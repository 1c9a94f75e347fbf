import type { Cursor, Recorded } from '../../../journal/store.ts'

/**
 * How much of what was read already is kept, and how much of what nobody asked for yet, in bytes of the file. Records
 * that are kept are copied by the garbage collector again and again, so it is little of what was read.
 */
const KEEP_READ = 64 * 1024
const KEEP_UNREAD = 32 * 1024 * 1024
const BATCH = 256 * 1024

/**
 * The accepted records scanned last. Reading one's own line back and folding it are the same parse: `append` scans,
 * `read` hands out what the scan found.
 */
export function createRecordCache(start: Place) {
  let before = start
  let records: Recorded[] = []

  return {
    /** The last accepted record that was scanned. */
    get last(): Place {
      return records.at(-1) ? placeOf(records.at(-1)!) : before
    },
    push(recorded: Recorded): void {
      records.push(recorded)
      if (recorded.seq - before.seq > KEEP_UNREAD) dropUpTo(records[records.length >> 1]!.seq)
    },
    /** Is everything after `from` that was scanned still here? */
    reachesBackTo: (from: Cursor) => from.seq >= before.seq,
    /** What follows `from`, in a bounded batch; undefined if `from` is no place in this log. */
    after(from: Cursor): readonly Recorded[] | undefined {
      const at = indexAfter(from.seq)
      const there = at === 0 ? before : placeOf(records[at - 1]!)
      if (there.seq !== from.seq || there.id !== from.id) return undefined
      let end = at
      while (end < records.length && (end === at || records[end]!.seq - from.seq <= BATCH)) end++
      const batch = records.slice(at, end)
      if (from.seq - before.seq > KEEP_READ) dropUpTo(from.seq)
      return batch
    },
  }

  function dropUpTo(seq: number): void {
    const count = indexAfter(seq)
    if (count === 0) return
    before = placeOf(records[count - 1]!)
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

interface Place {
  readonly seq: number
  readonly id: string
}

function placeOf({ seq, record }: Recorded): Place {
  return { seq, id: record.id }
}
