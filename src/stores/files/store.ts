import { dirname, join } from 'node:path'
import { ulid } from 'ulid'
import type { Audited, Log, LogName, Presence, Store } from '../../journal/store.ts'
import type { Views } from '../../journal/views.ts'
import { plainText } from '../../redaction/plain-text.ts'
import { type Disk, realDisk } from './disk.ts'
import { createFolderEntries } from './folder-entries.ts'
import { createFolderWatch } from './folder-watch.ts'
import { makeFolder, syncFolders } from './folders.ts'
import { createFilePresence } from './identity/presence.ts'
import { createJournalFile } from './log/journal-file.ts'
import { createFileLog } from './log/log.ts'
import { lostEnd, shownTo } from './log/lost-end.ts'
import { createScanner, type ReadAt } from './log/scanner.ts'

export interface FileStoreOptions {
  /** The folder that holds `.teams` and `.tasks`. */
  readonly dir: string
  readonly presence?: Presence
  /** The files people see beside a team's journal. */
  readonly views?: (team: string) => Views
  readonly disk?: Disk
  /** `power`: acknowledged means synced to the disk. `process`: it survives our death only. */
  readonly durability?: 'power' | 'process'
  /** Features a record may need; a record that needs another ends the reading. */
  readonly knows?: readonly string[]
  /** Milliseconds after which a file is looked at without a hint. */
  readonly poll?: number
  readonly warn?: (message: string) => void
  /**
   * Throws if this process may not write to this team's logs; asked once per handle before its first write. `creator`
   * is the id of the journal's first record or, `creating`, of the one that will be it.
   */
  readonly mayWrite?: (team: string, creator: string, creating: boolean) => void
  /** Throws if `dir` is on a file system that cannot hold a journal. */
  readonly refuse?: (dir: string) => void
}

export async function openFileStore(options: FileStoreOptions): Promise<Store> {
  const { dir, disk = realDisk, durability = 'power', knows = [], poll = 2000, warn = toStderr } = options
  const watch = createFolderWatch(disk, warn)
  const teamsFolder = join(dir, '.teams')
  const entries = createFolderEntries(disk, dir)
  const logs = new Set<Log>()
  const creators = new Map<string, { readonly bytes: Buffer; readonly creator: string }>()
  options.refuse?.(dir)

  /**
   * The id of the first record of a journal, which is the id of its team. As long as the file begins with the same
   * bytes it says the same, and need not be taken apart again: a team of eight opens eight conversations.
   */
  function creatorOf(team: string): string | undefined {
    const path = join(teamsFolder, team, 'journal.jsonl')
    const file = createJournalFile(disk, path, entries)
    if (!file.open()) return undefined
    try {
      const bytes = Buffer.alloc(BEGINNING)
      const beginning = bytes.subarray(0, file.readAt(bytes, 0))
      const known = creators.get(team)
      if (known && beginning.subarray(0, known.bytes.length).equals(known.bytes)) return known.creator
      const first = firstRecord(path, beginning, file.readAt)
      if (first && first.seq <= beginning.length)
        creators.set(team, { bytes: beginning.subarray(0, first.seq), creator: first.id })
      return first?.id
    } finally {
      file.close()
    }
  }

  function askFor(team: string, file: string, first: string): void {
    if (!options.mayWrite) return
    const isJournal = file === `${team}/journal.jsonl`
    const creator = creatorOf(team)
    // A transcript without a journal belongs to no team that anybody could have made elsewhere.
    if (creator || isJournal) options.mayWrite(team, creator ?? first, !creator)
  }

  return {
    presence: options.presence ?? createFilePresence({ dir, disk, clock: Date }),
    ...(options.views ? { views: options.views } : {}),
    async log(name) {
      const { team, file } = placeOf(name)
      const log: Log = createFileLog({
        path: join(teamsFolder, file),
        entries,
        disk,
        watch,
        durability,
        // A conversation has one agent; whoever had it before is told apart by what is read back.
        isShared: file === `${team}/journal.jsonl`,
        knows: new Set(knows),
        poll,
        warn,
        ...(file === `${team}/journal.jsonl` && { lostEnd: () => lostEnd(disk, join(teamsFolder, team)) }),
        mayWrite: (first) => askFor(team, file, first),
        closed: () => logs.delete(log),
      })
      logs.add(log)
      return log
    },
    async teams() {
      if (!disk.statSync(teamsFolder)) return []
      const names = disk.readdirSync(teamsFolder).filter((name) => NAME.test(name))
      // Its maker may have died between making the file and writing the first record. Views are made later.
      const isTeam = (folder: string) => disk.statSync(join(folder, 'journal.jsonl'))?.size || shownTo(disk, folder) > 0
      return names.filter((name) => isTeam(join(teamsFolder, name))).sort()
    },
    async remove(team, purge) {
      if (!NAME.test(team)) throw new TypeError(`${team} is not a name of a team`)
      const away = join(teamsFolder, '.deleted', `${team}-${ulid()}`)
      // The board goes first: should we die in between, the team is still there and its board is written again.
      const moves = [
        { from: join(dir, '.tasks', team), to: join(away, 'tasks') },
        { from: join(teamsFolder, team), to: join(away, 'team') },
      ].filter(({ from }) => disk.statSync(from))
      if (moves.length === 0) return
      makeFolder(disk, away)
      for (const { from, to } of moves) disk.renameSync(from, to)
      syncFolders(disk, [away, dirname(away), ...moves.map(({ from }) => dirname(from))])
      if (purge) disk.removeSync(away)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...logs].map((log) => log.close()))
    },
  }
}

/** Bytes. A first record is rarely longer, and what follows need not be read. */
const BEGINNING = 4096

function firstRecord(path: string, beginning: Buffer, readAt: ReadAt): { id: string; seq: number } | undefined {
  let first: { id: string; seq: number } | undefined
  const show = ({ verdict, record, seq }: Audited) => {
    if (verdict === 'accepted') first ??= { id: record!.id, seq }
  }
  const scanner = createScanner({ path, knows: new Set(), show })
  scanner.scan((into) => beginning.copy(into))
  while (!first && scanner.scan(readAt)) {}
  return first
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

/** The last check before a path is built of it. */
function placeOf(name: LogName): { team: string; file: string } {
  const [team = '', kind, member = '', ...more] = name.split('/')
  const isTranscript = kind === 'transcripts' && NAME.test(member)
  if (!NAME.test(team) || more.length > 0 || (!isTranscript && (kind !== 'journal' || member !== ''))) {
    throw new TypeError(`${name} is not a name of a log`)
  }
  return { team, file: `${name}.jsonl` }
}

function toStderr(message: string): void {
  process.stderr.write(plainText(`deskmates: ${message}\n`))
}
