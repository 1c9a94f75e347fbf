import { advance, type Cursor } from '../../../journal/log/cursor.ts'
import type { Audited, Fault, Log } from '../../../journal/log/store.ts'
import { NotRead } from '../../../journal/log/store-errors.ts'
import { TeamError } from '../../../team/errors.ts'
import { createSleep } from '../../sleep.ts'
import { codeOf, type Disk } from '../disk.ts'
import type { FolderEntries } from '../folder-entries.ts'
import type { FolderWatch } from '../folder-watch.ts'
import { createJournalFile } from './journal-file.ts'
import { createLogReader } from './reader.ts'
import { createScanner } from './scanner.ts'
import { readSnapshot, writeSnapshot } from './snapshot.ts'
import { createLogWriter, type LogWriterOptions } from './writer.ts'

export interface FileLogOptions extends Omit<LogWriterOptions, 'file' | 'reader' | 'cut'> {
  readonly entries: FolderEntries
  readonly disk: Disk
  readonly watch: FolderWatch
  /** Milliseconds between two reads without a hint. */
  readonly poll: number
  readonly warn: (message: string) => void
  /** The fault if the end of the log is missing: then it can be read but not written. */
  readonly lostEnd?: () => Fault | undefined
  readonly closed?: () => void
}

/** In a log without writes for this long no process holds back. */
const QUIET_AFTER_MS = 200
/** How often a writer that holds back checks whether it may go on. */
const HOLD_BACK_POLL_MS = 1

/** One handle on one log file. */
export function createFileLog(options: FileLogOptions): Log {
  const { path, entries, disk, watch, knows, poll, warn } = options
  const file = createJournalFile(disk, path, entries)
  const reader = createLogReader(path, file, knows)
  const writer = createLogWriter({ ...options, file, reader, cut: lostEndOnce, mayWrite: askOnce })
  const snapshot = path.replace(/journal\.jsonl$|jsonl$/, 'snapshot.json')
  const closing = new AbortController()
  const sleep = createSleep()
  /** When the last known snapshot was written, and how far it reached. */
  let savedAt: number | undefined
  let savedTo = 0
  let unwatch: (() => void) | undefined
  let isAllowed = false
  let looked: { readonly cut: Fault | undefined } | undefined

  return {
    async append(records) {
      closing.signal.throwIfAborted()
      return records.length === 0 ? { outcomes: [], durable: Promise.resolve() } : writer.append(records)
    },
    async read(from) {
      closing.signal.throwIfAborted()
      return readNamed(() => reader.after(from))
    },
    async *tail(from, signal) {
      const ended = AbortSignal.any([signal, closing.signal])
      for (let at = from; !ended.aborted; ) {
        const batch = readNamed(() => reader.after(at))
        at = batch.reduce(advance, at)
        if (batch.length > 0) yield batch
        else await changed(at, poll, ended)
      }
    },
    async knows(id) {
      return reader.chain.accepted(id)
    },
    changed,
    async holdBack(tries = 0) {
      if (reader.holdBackFor(tries) === 0 || file.idleFor() > QUIET_AFTER_MS) return
      // Polled, not watched: a watch would wake this process for every later line of any process.
      for (
        let left = reader.holdBackFor(tries);
        left > 0 && !closing.signal.aborted;
        left = reader.holdBackFor(tries)
      ) {
        await sleep.upTo(Math.min(left, HOLD_BACK_POLL_MS))
        reader.catchUp()
      }
    },
    async sync(seq) {
      await writer.sync(seq).catch((error) =>
        readNamed(() => {
          throw error
        }),
      )
    },
    async restore(fold) {
      if (reader.point.offset > 0 || !readNamed(() => file.open())) return undefined
      const restored = readNamed(() => readSnapshot(disk, snapshot, fold, file.readAt, warn))
      if (restored) reader.resume(restored)
      savedTo = restored?.cursor.seq ?? 0
      savedAt = readNamed(() => disk.statSync(snapshot)?.mtimeMs)
      return restored
    },
    async save(fold, cursor, state) {
      const { seq, id, begins } = reader.last
      // A process that restores this would take records read beyond the cursor for repeated ones.
      if (cursor.seq === 0 || cursor.seq !== seq || cursor.id !== id || reader.forbidsWriting) return
      const { offset, line, chain } = reader.point
      try {
        const found = disk.statSync(snapshot)
        if (found && found.mtimeMs !== savedAt) {
          savedAt = found.mtimeMs
          savedTo = seq
          return
        }
        // A large state is saved less often: writing it costs more than reading as many bytes of the journal again.
        if (found && seq - savedTo < found.size) return
        askOnce(id)
        const kept = { fold, cursor, begins, offset, line, chain: chain.keep(), state: state() }
        writeSnapshot(disk, snapshot, file.readAt, kept)
        savedAt = disk.statSync(snapshot)?.mtimeMs
        savedTo = seq
      } catch (error) {
        warn(`Cannot write ${snapshot} (${error}). Opening this team will take longer.`)
      }
    },
    audit,
    faults() {
      const faults = reader.faults()
      // Damage is reported with its place; that the end is missing too adds nothing.
      const cut = faults.every(({ kind }) => kind === 'torn') ? lostEndOnce() : undefined
      return cut ? [...faults, cut] : faults
    },
    whole: async (value) => value,
    async close() {
      closing.abort(new Error(`This handle on ${path} is closed.`))
      unwatch?.()
      unwatch = undefined
      sleep.wakeAll()
      await writer.settled()
      file.close()
      options.closed?.()
    },
  }

  async function changed(from: Cursor, atMost: number, signal?: AbortSignal): Promise<void> {
    unwatch ??= watch.on(path, sleep.wakeAll)
    const until = performance.now() + atMost
    while (!signal?.aborted && !closing.signal.aborted && !mayHaveMore(from)) {
      const left = until - performance.now()
      if (left <= 0) return
      await sleep.upTo(Math.min(left, poll), signal)
      watch.refresh()
    }
  }

  function mayHaveMore(from: Cursor): boolean {
    try {
      return reader.mayHaveMore(from)
    } catch {
      // The file was replaced; the next read says so.
      return true
    }
  }

  async function* audit(): AsyncGenerator<readonly Audited[]> {
    if (!file.open()) return
    let batch: Audited[] = []
    const scanner = createScanner({
      path,
      knows,
      readsBeyondStop: true,
      show: ({ sum, detail, ...line }) => batch.push(line),
    })
    for (let more = true; more; ) {
      more = scanner.scan(file.readAt)
      const { tail, seen } = scanner
      const { line, offset } = scanner
      // An unfinished line at the end is a write in progress, or all that remains of one.
      if (!more && !scanner.stop && seen > offset)
        batch.push({ verdict: tail ? 'damaged' : 'torn', line, offset, seq: seen })
      if (batch.length > 0) yield batch
      batch = []
    }
  }

  /** Turns a system error like EIO into one that names the file. */
  function readNamed<T>(read: () => T): T {
    try {
      return read()
    } catch (error) {
      throw error instanceof TeamError || codeOf(error) === undefined ? error : new NotRead(path, error)
    }
  }

  /** Checked once: a handle that was opened while the log was complete notices by itself when it gets shorter. */
  function lostEndOnce(): Fault | undefined {
    looked ??= { cut: readNamed(() => options.lostEnd?.()) }
    return looked.cut
  }

  function askOnce(ours: string): void {
    if (!isAllowed) options.mayWrite(ours)
    isAllowed = true
  }
}
