import { type Audited, advance, type Cursor, type Fault, type Log } from '../../../journal/store.ts'
import { NotRead } from '../../../journal/store-errors.ts'
import { TeamError } from '../../../team/errors.ts'
import { createSleep } from '../../sleep.ts'
import { codeOf, type Disk } from '../disk.ts'
import type { FolderEntries } from '../folder-entries.ts'
import type { FolderWatch } from '../folder-watch.ts'
import { createJournalFile } from './journal-file.ts'
import { createLogReader } from './reader.ts'
import { createScanner } from './scanner.ts'
import { readSnapshot, writeSnapshot } from './snapshot.ts'
import { createLogWriter } from './writer.ts'

export interface FileLogOptions {
  readonly path: string
  readonly entries: FolderEntries
  readonly disk: Disk
  readonly watch: FolderWatch
  readonly knows: ReadonlySet<string>
  readonly durability: 'power' | 'process'
  /** Do others write to it at the same time? */
  readonly isShared: boolean
  /** Milliseconds between two looks at a file nobody told us about. */
  readonly poll: number
  readonly warn: (message: string) => void
  /** Looks whether its end is gone: then it can be read, and nobody writes. */
  readonly lostEnd?: () => Fault | undefined
  /** Throws if this process may not write here; `first` is what it wants to write first. */
  readonly mayWrite: (first: string) => void
  readonly closed?: () => void
}

/** A writer that lost is not waited for in a log that nobody writes to. */
const ABANDONED = 200
/** How often one who holds back looks whether it may go on, in milliseconds. */
const LOOK_AGAIN = 1

/** One handle on one log file. */
export function createFileLog(options: FileLogOptions): Log {
  const { path, entries, disk, watch, knows, durability, isShared, poll, warn } = options
  const file = createJournalFile(disk, path, entries)
  const reader = createLogReader(path, file, knows)
  const writer = createLogWriter({
    path,
    file,
    reader,
    knows,
    durability,
    isShared,
    cut: lookOnce,
    mayWrite: askOnce,
  })
  const snapshot = path.replace(/journal\.jsonl$|jsonl$/, 'snapshot.json')
  const closing = new AbortController()
  const sleep = createSleep()
  /** When the snapshot that we know was written, and how far it reached. */
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
      if (reader.holdBackFor(tries) === 0 || file.idleFor() > ABANDONED) return
      // Looked for, not watched: a watch would wake this process for every line that anybody writes from then on.
      for (
        let left = reader.holdBackFor(tries);
        left > 0 && !closing.signal.aborted;
        left = reader.holdBackFor(tries)
      ) {
        await sleep.upTo(Math.min(left, LOOK_AGAIN))
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
      // What was read beyond the cursor would be taken for repeated by whoever restores this.
      if (cursor.seq === 0 || cursor.seq !== seq || cursor.id !== id || reader.forbidsWriting) return
      const { offset, line, chain } = reader.point
      try {
        const kept = disk.statSync(snapshot)
        if (kept && kept.mtimeMs !== savedAt) {
          savedAt = kept.mtimeMs
          savedTo = seq
          return
        }
        // A large state is kept less often: writing it costs more than reading as many bytes of the journal again.
        if (kept && seq - savedTo < kept.size) return
        askOnce(id)
        writeSnapshot(disk, snapshot, { fold, cursor, begins, offset, line, chain: chain.keep(), state: state() })
        savedAt = disk.statSync(snapshot)?.mtimeMs
        savedTo = seq
      } catch (error) {
        warn(`${snapshot} could not be written (${error}); opening this team will take longer.`)
      }
    },
    audit,
    faults() {
      const faults = reader.faults()
      // Damage is named by its place; that the end is missing too is no news then.
      const cut = faults.every(({ kind }) => kind === 'torn') ? lookOnce() : undefined
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
      // A file that was replaced is news; the next read says so.
      return true
    }
  }

  async function* audit(): AsyncGenerator<readonly Audited[]> {
    if (!file.open()) return
    let batch: Audited[] = []
    const scanner = createScanner({ path, knows, beyond: true, show: ({ sum, detail, ...line }) => batch.push(line) })
    for (let more = true; more; ) {
      more = scanner.scan(file.readAt)
      const { tail, seen } = scanner
      const { line, offset } = scanner
      // A piece at the end is somebody's write in flight, or all that came of it.
      if (!more && !scanner.stop && seen > offset)
        batch.push({ verdict: tail ? 'damaged' : 'torn', line, offset, seq: seen })
      if (batch.length > 0) yield batch
      batch = []
    }
  }

  /** What the system says in a word like EIO becomes an error that names the file. */
  function readNamed<T>(read: () => T): T {
    try {
      return read()
    } catch (error) {
      throw error instanceof TeamError || codeOf(error) === undefined ? error : new NotRead(path, error)
    }
  }

  /** Whoever opened it while it was whole notices by itself when it gets shorter. */
  function lookOnce(): Fault | undefined {
    looked ??= { cut: readNamed(() => options.lostEnd?.()) }
    return looked.cut
  }

  /** Asked once for the life of the handle. */
  function askOnce(ours: string): void {
    if (!isAllowed) options.mayWrite(ours)
    isAllowed = true
  }
}
