import { join } from 'node:path'
import { decodeTime } from 'ulid'
import type { TeamState } from '../../../team/state.ts'
import { codeOf, type Disk } from '../disk.ts'
import { makeFolder, syncFolders } from '../folders.ts'
import { type Archive, openArchive } from './archive.ts'
import { factsOf, isKnown, isPast, type Received, type Rejected, roomFor, unknownIn } from './incoming-lines.ts'
import { createRejectedLines } from './rejected-lines.ts'

/** Where foreign lines come in: mailbox files put aside in `inbox/.taken/`, read until nobody writes to them any more. */
export interface Door {
  /** Puts a mailbox file aside, where everybody finds it. False when another process was faster. */
  putAside(path: string, mailbox: string): boolean
  /** How many files were put aside and not yet retired, when somebody last looked. */
  count(): number
  /** Has any file ever been put aside? */
  hasArchives(): boolean
  /** Reads what is new in the archives. Returns whether there is something that `state` does not know. */
  look(state: TeamState): boolean
  /** Has somebody added to an archive, or a new one, since they were read? */
  hasNews(): boolean
  facts(state: TeamState): (Received | Rejected)[]
  /** Keeps rejected lines where people find them and removes archives that are done. */
  settle(state: TeamState, facts: readonly (Received | Rejected)[]): void
}

/** A younger archive is looked at every time; older ones by turns, since nearly nobody writes that slowly. */
const YOUNG = 60_000
const OLDER_AT_ONCE = 64

export function openDoor(options: {
  readonly inbox: string
  readonly disk: Disk
  readonly warn: (message: string) => void
  /** Unique over all processes, and telling the time: ulids. */
  readonly ids: () => string
  /** Milliseconds since 1970. */
  readonly now: () => number
}): Door {
  const { inbox, disk, warn, ids, now } = options
  const folder = join(inbox, '.taken')
  const archives = new Map<string, Archive>()
  const keepRejected = createRejectedLines(inbox, disk, warn)
  /** How long each archive was when it was last looked at. */
  const lookedAt = new Map<string, number>()
  let hasMore = false
  let turn = 0

  return {
    putAside,
    count: () => archives.size,
    hasArchives: () => disk.statSync(folder) !== undefined,

    look(state) {
      for (const archive of due()) {
        const isFinal = isPast(archive, now())
        lookedAt.set(archive.id, sizeOf(archive))
        if (!hasGrown(archive) && (!isFinal || archive.isFinished())) continue
        readAll(state, archive, isFinal)
      }
      hasMore = false
      if (factsOf(state, inOrder(), now()).length > 0) return true
      retire(state)
      return false
    },

    hasNews: () => hasMore || due().some((archive) => sizeOf(archive) !== (lookedAt.get(archive.id) ?? 0)),

    facts(state) {
      const facts = factsOf(state, inOrder(), now())
      // Should a power cut undo the putting aside and spare the journal, the same lines would come in once more.
      if (facts.length > 0) syncFolders(disk, [inbox, folder])
      return facts
    },

    settle(state, facts) {
      const counted = facts.filter(({ archive, end }) => (state.archives.get(archive) ?? 0) >= end)
      keepRejected(counted.filter((event) => event.type === 'external.rejected'))
      for (const archive of archives.values()) forgetKnown(state, archive)
      retire(state)
      hasMore = inOrder().some((archive) => hasGrown(archive) && roomFor(state, archive, now()) > 0)
    },
  }

  function putAside(path: string, mailbox: string): boolean {
    makeFolder(disk, folder)
    const to = join(folder, `${ids()}.${mailbox}.jsonl`)
    try {
      disk.renameSync(path, to)
      return true
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return false
      if (codeOf(error) !== 'EXDEV') throw error
      warn(
        `${path} is not on the same file system as ${inbox}, so its lines cannot be brought in. Write there instead.`,
      )
      return false
    }
  }

  /** The archives whose turn it is, oldest first. */
  function due(): Archive[] {
    const names = new Set(list(disk, folder))
    for (const { id } of archives.values()) if (!names.has(`${id}.jsonl`)) forget(id)
    for (const name of names) meet(name)
    const all = inOrder()
    const older = all.filter(({ bornAt }) => now() - bornAt >= YOUNG)
    if (turn >= older.length) turn = 0
    const chosen = older.slice(turn, turn + OLDER_AT_ONCE)
    turn += chosen.length
    return [...chosen, ...all.slice(older.length)]
  }

  function meet(name: string): void {
    const [, id, unique, mailbox] = /^(([\w-]+)\.([\w-]+))\.jsonl$/.exec(name) ?? []
    if (id === undefined || unique === undefined || mailbox === undefined || archives.has(id)) return
    const path = join(folder, name)
    const bornAt = timeOf(unique) ?? disk.lstatSync(path)?.mtimeMs ?? now()
    archives.set(id, openArchive(disk, { id, mailbox, path, bornAt }))
  }

  function forget(id: string): void {
    archives.delete(id)
    lookedAt.delete(id)
  }

  function inOrder(): Archive[] {
    return [...archives.values()].sort((a, b) => a.bornAt - b.bornAt || (a.id < b.id ? -1 : 1))
  }

  /** Until enough is pending that `state` does not know: behind our own lines there may be others. */
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

  /** All of it is in the journal, and whoever might still have written to it had its time. */
  function retire(state: TeamState): void {
    for (const archive of archives.values()) {
      if (!isPast(archive, now()) || !archive.isFinished() || unknownIn(state, archive, now()).length > 0) continue
      if (hasGrown(archive)) continue
      removeIfThere(disk, archive.path)
      forget(archive.id)
    }
  }
}

function timeOf(unique: string): number | undefined {
  return /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(unique) ? decodeTime(unique) : undefined
}

function list(disk: Disk, folder: string): string[] {
  try {
    return disk.readdirSync(folder)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

function removeIfThere(disk: Disk, path: string): void {
  try {
    disk.unlinkSync(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}
