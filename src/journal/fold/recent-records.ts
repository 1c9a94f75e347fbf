/** A record that was acknowledged to a caller: its id, and what it was, in a word. */
export interface Acknowledgement {
  readonly id: string
  readonly what: string
}

/** What is gone of what was remembered. */
export interface LostRecords {
  /** What this process had acknowledged, in the order of the log. */
  readonly acknowledgements: readonly Acknowledgement[]
  /** How many records in all, other people's included. */
  readonly records: number
}

/**
 * The records folded last, of a log that may be rewound: compared with what is there afterwards they show what is gone
 * and what is new.
 */
export interface RecentRecords {
  folded(seq: number, id: string): void
  /** This record was acknowledged to a caller. */
  acknowledged(record: string, acknowledgement: Acknowledgement): void
  /** Begins to compare: every record that is there now is shown to it, from the first on. */
  compare(): Comparison
}

export interface Comparison {
  /** Was this record not there before? */
  see(seq: number, id: string): boolean
  /** What was remembered and was not seen, and the memory to go on with. */
  end(): { readonly lost: LostRecords; readonly recent: RecentRecords }
}

/** A server that takes over lacks moments, not days. */
const MAX_REMEMBERED = 10_000

interface Remembered {
  readonly seq: number
  acknowledgements: readonly Acknowledgement[]
}

/** Remembers what is folded behind `from`. */
export function createRecentRecords(from: number): RecentRecords {
  const records = new Map<string, Remembered>()
  let begin = from

  return {
    folded(seq, id) {
      records.set(id, { seq, acknowledgements: [] })
      if (records.size <= MAX_REMEMBERED) return
      const [first, { seq: passed }] = records.entries().next().value as [string, Remembered]
      records.delete(first)
      begin = passed
    },
    acknowledged(record, acknowledgement) {
      const found = records.get(record)
      if (found) found.acknowledgements = [...found.acknowledgements, acknowledgement]
    },
    compare() {
      const left = new Map(records)
      const next = createRecentRecords(0)
      return {
        see(seq, id) {
          const known = left.get(id)
          left.delete(id)
          next.folded(seq, id)
          for (const acknowledgement of known?.acknowledgements ?? []) next.acknowledged(id, acknowledgement)
          return !known && seq > begin
        },
        end: () => ({
          lost: {
            acknowledgements: [...left.values()].flatMap(({ acknowledgements }) => acknowledgements),
            records: left.size,
          },
          recent: next,
        }),
      }
    },
  }
}
