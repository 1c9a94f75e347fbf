import { join } from 'node:path'
import { decodeTime } from 'ulid'
import type { TeamState } from '../../../team/state.ts'
import { codeOf, type Disk, ifMissing, removeIfExists } from '../disk.ts'
import { makeFolder, syncFolders } from '../folders.ts'
import { type Archive, openArchive } from './archive.ts'
import { factsOf, freeSlots, isKnown, isPast, type Received, type Rejected, unknownIn } from './incoming-lines.ts'
import { createRejectedLines } from './rejected-lines.ts'

/** Inbox files that were moved to `inbox/.taken/` to be read, until no program can be writing to them any more. */
export interface Archives {
  /** Moves an inbox file to the archives. False when another process was faster. */
  archive(path: string, mailbox: string): boolean
  /** How many archives there were at the last read. */
  count(): number
  /** Whether any file was ever archived. */
  hasArchives(): boolean
  /** Reads what was added to the archives. Returns whether there is a line that `state` does not know. */
  readNew(state: TeamState): boolean
  /** Whether an archive was added or has grown since the last read. */
  hasChanged(): boolean
  facts(state: TeamState): (Received | Rejected)[]
  /** Writes rejected lines to `<name>.rejected.jsonl` and removes finished archives. */
  settle(state: TeamState, facts: readonly (Received | Rejected)[]): void
}

/** Younger archives are read every time, older ones in turn: few programs write that slowly. */
const YOUNG_MS = 60_000
const MAX_OLDER_AT_ONCE = 64

export function openArchives(options: {
  readonly inbox: string
  readonly disk: Disk
  readonly warn: (message: string) => void
  /** Makes ulids: unique over all processes, and with a time in them. */
  readonly ids: () => string
  /** Milliseconds since 1970. */
  readonly now: () => number
}): Archives {
  const { inbox, disk, warn, ids, now } = options
  const folder = join(inbox, '.taken')
  const archives = new Map<string, Archive>()
  const keepRejected = createRejectedLines(inbox, disk, warn)
  /** The size of each archive at its last read. */
  const lastSizes = new Map<string, number>()
  let hasMore = false
  let turn = 0

  return {
    archive,
    count: () => archives.size,
    hasArchives: () => disk.statSync(folder) !== undefined,

    readNew(state) {
      for (const archive of due()) {
        const isFinal = isPast(archive, now())
        lastSizes.set(archive.id, sizeOf(archive))
        if (!hasGrown(archive) && (!isFinal || archive.isFinished())) continue
        readAll(state, archive, isFinal)
      }
      hasMore = false
      if (factsOf(state, inOrder(), now()).length > 0) return true
      retire(state)
      return false
    },

    hasChanged: () => hasMore || due().some((archive) => sizeOf(archive) !== (lastSizes.get(archive.id) ?? 0)),

    facts(state) {
      const facts = factsOf(state, inOrder(), now())
      // If a power cut undid the rename but not the journal, the same lines would come in twice.
      if (facts.length > 0) syncFolders(disk, [inbox, folder])
      return facts
    },

    settle(state, facts) {
      const counted = facts.filter(({ archive, end }) => (state.archives.get(archive) ?? 0) >= end)
      keepRejected(counted.filter((event) => event.type === 'external.rejected'))
      for (const archive of archives.values()) forgetKnown(state, archive)
      retire(state)
      hasMore = inOrder().some((archive) => hasGrown(archive) && freeSlots(state, archive, now()) > 0)
    },
  }

  function archive(path: string, mailbox: string): boolean {
    makeFolder(disk, folder)
    const to = join(folder, `${ids()}.${mailbox}.jsonl`)
    try {
      disk.renameSync(path, to)
      return true
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return false
      if (codeOf(error) !== 'EXDEV') throw error
      warn(
        `${path} is not on the same file system as ${inbox}, so its lines cannot be delivered. Write to ${inbox} instead.`,
      )
      return false
    }
  }

  /** The archives to read now, oldest first. */
  function due(): Archive[] {
    const names = new Set(ifMissing([], () => disk.readdirSync(folder)))
    for (const { id } of archives.values()) if (!names.has(`${id}.jsonl`)) forget(id)
    for (const name of names) register(name)
    const all = inOrder()
    const older = all.filter(({ archivedAt }) => now() - archivedAt >= YOUNG_MS)
    if (turn >= older.length) turn = 0
    const chosen = older.slice(turn, turn + MAX_OLDER_AT_ONCE)
    turn += chosen.length
    return [...chosen, ...all.slice(older.length)]
  }

  function register(name: string): void {
    const [, id, unique, mailbox] = /^(([\w-]+)\.([\w-]+))\.jsonl$/.exec(name) ?? []
    if (id === undefined || unique === undefined || mailbox === undefined || archives.has(id)) return
    const path = join(folder, name)
    const archivedAt = timeOf(unique) ?? disk.lstatSync(path)?.mtimeMs ?? now()
    archives.set(id, openArchive(disk, { id, mailbox, path, archivedAt }))
  }

  function forget(id: string): void {
    archives.delete(id)
    lastSizes.delete(id)
  }

  function inOrder(): Archive[] {
    return [...archives.values()].sort((a, b) => a.archivedAt - b.archivedAt || (a.id < b.id ? -1 : 1))
  }

  /** Reads until enough lines are pending that `state` does not know: foreign lines may follow our own. */
  function readAll(state: TeamState, archive: Archive, isFinal: boolean): void {
    for (;;) {
      const isAll = archive.readOn(isFinal)
      if (isAll === undefined) return forget(archive.id)
      const read = archive.pending.length
      forgetKnown(state, archive)
      if (isAll || archive.pending.length === read) return
    }
  }

  function hasGrown(archive: Archive): boolean {
    return sizeOf(archive) > archive.size()
  }

  function sizeOf({ path }: Archive): number {
    return disk.lstatSync(path)?.size ?? 0
  }

  function forgetKnown(state: TeamState, archive: Archive): void {
    archive.pending = archive.pending.filter((found) => !isKnown(state, archive, found))
  }

  /** Removes archives that are completely in the journal and old enough that no program still writes to them. */
  function retire(state: TeamState): void {
    for (const archive of archives.values()) {
      if (!isPast(archive, now()) || !archive.isFinished() || unknownIn(state, archive, now()).length > 0) continue
      if (hasGrown(archive)) continue
      removeIfExists(disk, archive.path)
      forget(archive.id)
    }
  }
}

function timeOf(unique: string): number | undefined {
  return /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(unique) ? decodeTime(unique) : undefined
}
