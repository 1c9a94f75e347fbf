import { dirname, join } from 'node:path'
import { ulid } from 'ulid'
import type { Audited, Log, Presence, Store } from '../../journal/log/store.ts'
import type { Views } from '../../journal/views.ts'
import { isTeamName, teamOf } from '../log-name.ts'
import { warnOnStderr } from '../warning.ts'
import { type Disk, realDisk } from './disk.ts'
import { createFolderEntries } from './folder-entries.ts'
import { createFolderWatch } from './folder-watch.ts'
import { makeFolder, syncFolders } from './folders.ts'
import { createFilePresence } from './identity/presence.ts'
import { createJournalFile } from './log/journal-file.ts'
import { createFileLog } from './log/log.ts'
import { lostEnd, viewsWrittenTo } from './log/lost-end.ts'
import { createScanner, type ReadAt } from './log/scanner.ts'

export interface FileStoreOptions {
  /** The folder that holds `.teams` and `.tasks`. */
  readonly dir: string
  readonly presence?: Presence
  /** The views and inbox files of a team. */
  readonly views?: (team: string) => Views
  readonly disk?: Disk
  /** `power`: acknowledged means synced to the disk. `process`: it survives the end of the process only. */
  readonly durability?: 'power' | 'process'
  /** Features of records that this reader knows; a record that needs another one ends the reading. */
  readonly knows?: readonly string[]
  /** Milliseconds between two reads of a file without a hint. */
  readonly poll?: number
  readonly warn?: (message: string) => void
  /**
   * Throws if this process may not write to this team's logs; called once per handle, before its first write. `creator`
   * is the id of the journal's first record or, with `creating`, of the record that will be the first.
   */
  readonly mayWrite?: (team: string, creator: string, creating: boolean) => void
  /** Throws if `dir` is on a file system that cannot hold a journal. */
  readonly checkFileSystem?: (dir: string) => void
}

export async function openFileStore(options: FileStoreOptions): Promise<Store> {
  const { dir, disk = realDisk, durability = 'power', knows = [], poll = 2000, warn = warnOnStderr } = options
  const watch = createFolderWatch(disk, warn)
  const teamsFolder = join(dir, '.teams')
  const entries = createFolderEntries(disk, dir)
  const logs = new Set<Log>()
  const creators = new Map<string, { readonly bytes: Buffer; readonly creator: string }>()
  options.checkFileSystem?.(dir)

  /**
   * The id of the first record of a journal, which is the id of its team. Parsed again only when the file begins with other
   * bytes: a team of eight opens eight transcripts.
   */
  function creatorOf(team: string): string | undefined {
    const path = join(teamsFolder, team, 'journal.jsonl')
    const file = createJournalFile(disk, path, entries)
    if (!file.open()) return undefined
    try {
      const bytes = Buffer.alloc(FIRST_READ_BYTES)
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

  function askFor(team: string, isJournal: boolean, first: string): void {
    if (!options.mayWrite) return
    const creator = creatorOf(team)
    // Without a journal no team can have come from elsewhere, so a transcript may be written.
    if (creator || isJournal) options.mayWrite(team, creator ?? first, !creator)
  }

  return {
    presence: options.presence ?? createFilePresence({ dir, disk, clock: Date }),
    ...(options.views ? { views: options.views } : {}),
    async log(name) {
      const team = teamOf(name)
      const isJournal = name === `${team}/journal`
      const log: Log = createFileLog({
        path: join(teamsFolder, `${name}.jsonl`),
        entries,
        disk,
        watch,
        durability,
        // A transcript has one writer; a former one is recognised by what is read back.
        isShared: isJournal,
        knows: new Set(knows),
        poll,
        warn,
        ...(isJournal && { lostEnd: () => lostEnd(disk, join(teamsFolder, team)) }),
        mayWrite: (first) => askFor(team, isJournal, first),
        closed: () => logs.delete(log),
      })
      logs.add(log)
      return log
    },
    async teams() {
      if (!disk.statSync(teamsFolder)) return []
      const names = disk.readdirSync(teamsFolder).filter(isTeamName)
      // Its creator may have died before the first record. Views are written later, so they prove that the team existed.
      const isTeam = (folder: string) =>
        disk.statSync(join(folder, 'journal.jsonl'))?.size || viewsWrittenTo(disk, folder) > 0
      return names.filter((name) => isTeam(join(teamsFolder, name))).sort()
    },
    async remove(team, purge) {
      if (!isTeamName(team)) throw new TypeError(`${team} is not the name of a team`)
      const removed = join(teamsFolder, '.deleted', `${team}-${ulid()}`)
      // The board first: if the process dies in between, the team still exists and its board is written again.
      const moves = [
        { from: join(dir, '.tasks', team), to: join(removed, 'tasks') },
        { from: join(teamsFolder, team), to: join(removed, 'team') },
      ].filter(({ from }) => disk.statSync(from))
      if (moves.length === 0) return
      makeFolder(disk, removed)
      for (const { from, to } of moves) disk.renameSync(from, to)
      syncFolders(disk, [removed, dirname(removed), ...moves.map(({ from }) => dirname(from))])
      if (purge) disk.removeSync(removed)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...logs].map((log) => log.close()))
    },
  }
}

/** A first record is rarely longer. */
const FIRST_READ_BYTES = 4096

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
