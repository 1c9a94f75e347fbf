import { whyRefused } from '../../../journal/log/admission.ts'
import { LOST_TRIES } from '../../../journal/log/fairness.ts'
import type { Appended, Fault, LogRecord, Outcome } from '../../../journal/log/store.ts'
import {
  JournalReadOnly,
  JournalReplaced,
  NotWritten,
  OutcomeUnknown,
  RecordRefused,
} from '../../../journal/log/store-errors.ts'
import { createGroupCommit } from './group-commit.ts'
import type { JournalFile } from './journal-file.ts'
import { encode, type Frame } from './line.ts'
import type { LogReader } from './reader.ts'
import type { JudgedLine } from './scanner.ts'

export interface LogWriterOptions {
  readonly path: string
  readonly file: JournalFile
  readonly reader: LogReader
  readonly knows: ReadonlySet<string>
  readonly durability: 'power' | 'process'
  /** Whether other processes write to it: their records may overtake a decision, or forbid writing. */
  readonly isShared: boolean
  /** The fault if the log was found without its end. */
  readonly cut: () => Fault | undefined
  /** Throws if this process may not write here; `first` is the id of its first record. */
  readonly mayWrite: (first: string) => void
}

/**
 * Writes in one call and reads on to its own lines. Only then is it known whether they count, because other processes may
 * have written in between. Nothing is awaited until then.
 */
export function createLogWriter({ path, file, reader, knows, durability, isShared, cut, mayWrite }: LogWriterOptions) {
  const group = createGroupCommit(syncAndCompare)
  let expected: Expected | undefined
  let syncedTo = 0
  reader.onLine((judged) => expected?.see(judged))

  return {
    append(records: readonly LogRecord[]): Appended {
      const { worth, frames } = prepare(records)
      const written = worth.length === 0 ? [] : writeAll(worth, frames)
      const outcomes = records.map((record): Outcome => written[worth.indexOf(record)] ?? 'conflict')
      for (const { id } of records) reader.forgetOwn(id)
      const counts = outcomes.some((outcome) => outcome !== 'conflict')
      let durable: Promise<void> | undefined
      return {
        outcomes,
        get durable() {
          if (durable) return durable
          durable = counts ? makeDurable(records) : Promise.resolve()
          // A caller may ignore it; after a failure the handle is read-only anyway.
          durable.catch(() => {})
          return durable
        },
      }
    },
    async sync(upTo = reader.point.offset): Promise<void> {
      if (!file.isOpen) return
      if (durability === 'power' && upTo > syncedTo) await group.commit()
      else reader.ensureSame()
    },
    settled: group.settled,
  }

  /** Refuses whatever can be refused before the first byte is written. */
  function prepare(records: readonly LogRecord[]): { worth: readonly LogRecord[]; frames: readonly Frame[] } {
    // Encoded before the last read: the less time between that and the write, the fewer lines lose.
    const encoded = new Map(records.map((record) => [record, encode(record)]))
    try {
      // A log with one writer is checked when it is made durable; that is enough.
      if (isShared || !file.isOpen) reader.catchUp()
    } catch (error) {
      throw error instanceof JournalReplaced ? new JournalReadOnly(error.fault) : new NotWritten(path, error)
    }
    const fault = reader.forbidsWriting ?? cut()
    if (fault) throw new JournalReadOnly(fault)
    const refusal = whyRefused(records, reader.chain, knows)
    if (refusal) throw new RecordRefused(path, refusal.id, refusal.why)
    const worth = worthWriting(records)
    const frames = worth.map((record) => {
      const frame = encoded.get(record)
      if (!frame) throw new RecordRefused(path, record.id, 'is longer than 16 MB')
      return frame
    })
    mayWrite(records[0]!.id)
    return { worth, frames }
  }

  /**
   * A decision that another process has already overtaken is not worth a line that every process has to read. One that
   * keeps losing is written all the same, so that others see it and hold back. One that follows an unwritten record is
   * never written: readers would take the gap for damage and stop there.
   */
  function worthWriting(records: readonly LogRecord[]): readonly LogRecord[] {
    const { chain } = reader
    const unwritten = new Set<string>()
    let { last } = chain
    return records.filter(({ id, after, tries = 0 }) => {
      if (after === undefined || chain.accepted(id)) return true
      if (after === last) {
        last = id
        return true
      }
      if (tries >= LOST_TRIES && !unwritten.has(after)) return true
      unwritten.add(id)
      return false
    })
  }

  function writeAll(records: readonly LogRecord[], frames: readonly Frame[]): readonly Outcome[] {
    expected = createExpected(records, frames)
    return readBack(records, frames, write(frames))
  }

  function write(frames: readonly Frame[]): unknown {
    const bytes = frames.length === 1 ? frames[0]!.bytes : Buffer.concat(frames.map((frame) => frame.bytes))
    try {
      if (!file.isOpen) file.create()
      const written = file.write(bytes)
      return written < bytes.length ? new Error(`only ${written} of ${bytes.length} bytes could be written`) : undefined
    } catch (error) {
      return error
    }
  }

  /** A failed write may still have happened: only the log tells. */
  function readBack(records: readonly LogRecord[], frames: readonly Frame[], failure: unknown): readonly Outcome[] {
    const { missing, outcomes } = expected!
    const ids = records.map((record) => record.id)
    try {
      if (file.isOpen) reader.readBack(() => missing() === 0, isShared ? [] : frames)
    } catch (error) {
      throw new OutcomeUnknown(path, ids, failure ?? error)
    } finally {
      expected = undefined
    }
    if (missing() === 0) return outcomes
    if (failure && missing() === records.length && !reader.lacksNewline) throw new NotWritten(path, failure)
    throw new OutcomeUnknown(path, ids, failure ?? new Error('our own lines could not be read back'))
  }

  async function makeDurable(records: readonly LogRecord[]): Promise<void> {
    try {
      if (durability === 'process') reader.ensureSame()
      else await group.commit()
    } catch (error) {
      const ids = records.map((record) => record.id)
      throw new OutcomeUnknown(path, ids, error)
    }
  }

  async function syncAndCompare(): Promise<void> {
    const { offset } = reader.point
    if (reader.halted?.kind === 'not synced') throw new JournalReadOnly(reader.halted)
    try {
      await file.sync()
    } catch (error) {
      // After a failed sync the system may drop the data and report success the next time, so no later sync is trusted.
      throw new JournalReadOnly(reader.halt('not synced', `the disk did not confirm what was written (${error})`))
    }
    reader.ensureSame()
    syncedTo = offset
  }
}

interface Expected {
  see(judged: JudgedLine): void
  missing(): number
  readonly outcomes: Outcome[]
}

/** Recognises its own lines by id and sum: another process may have written the same id with other contents. */
function createExpected(records: readonly LogRecord[], frames: readonly Frame[]): Expected {
  const open = new Set(records.keys())
  const outcomes: Outcome[] = []
  return {
    outcomes,
    missing: () => open.size,
    see({ verdict, record, sum }) {
      if (verdict !== 'accepted' && verdict !== 'refused' && verdict !== 'repeated') return
      for (const index of open) {
        if (frames[index]!.sum !== sum || records[index]!.id !== record?.id) continue
        outcomes[index] = verdict === 'refused' ? 'conflict' : verdict
        open.delete(index)
        return
      }
    },
  }
}
