import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { canReceive } from '../../../team/mail/mail.ts'
import { UNREAD_CAP } from '../../../team/message.ts'
import { nameKey } from '../../../team/name.ts'
import { memberNamed, type TeamState } from '../../../team/state.ts'
import { counted } from '../../../team/wording.ts'
import type { Disk } from '../disk.ts'
import { makeFolder } from '../folders.ts'
import type { Archives } from './archives.ts'
import { type InboxFile, openInboxFile } from './inbox-file.ts'
import { type StrayFile, strayFiles } from './stray-files.ts'

/** All inbox files of a team. */
export interface InboxFiles {
  /** Adds lines for new unread mail and removes those of read mail, where something changed. */
  show(state: TeamState): void
  /** Reads every inbox file and archives those that hold lines of other programs. */
  archiveForeignLines(state: TeamState): void
  /** Whether another process or program may have written since the last read. */
  hasChanged(): boolean
  /** Milliseconds until work that was postponed is due; undefined when there is none. */
  retryIn(): number | undefined
  differences(state: TeamState): string[]
  repair(state: TeamState): void
}

export function openInboxFiles(options: {
  readonly inbox: string
  /** Folders to which older programs write mail, besides `<name>_inbox.jsonl` beside the inbox folder. */
  readonly oldFolders: readonly string[]
  readonly archives: Archives
  readonly disk: Disk
  readonly warn: (message: string) => void
}): InboxFiles {
  const { inbox, oldFolders, archives, disk, warn } = options
  const files = new Map<string, InboxFile>()
  /** When each inbox file was last archived. By the real clock: it only spreads work over time. */
  const archivedAt = new Map<string, number>()
  /** What was shown last, in numbers that are cheap to compare: `place` grows with new mail, a size shrinks with read mail. */
  let seen: { state: TeamState; place: number; sizes: Map<string, number> } | undefined
  let later: number | undefined
  /** Files that belong to no member or could not be archived yet, and their sizes. */
  const strays = new Map<string, number>()

  /** Another process may have shown a message that was read before this process saw it. */
  const isEmpty = ({ path }: InboxFile) => (disk.lstatSync(path)?.size ?? 0) === 0

  return {
    show(state) {
      const { place } = state.counters.get()
      const isNew = seen?.state !== state
      if (isNew) makeFolder(disk, inbox)
      const before = isNew ? undefined : seen
      const sizes = new Map<string, number>()
      for (const name of mailboxes(state)) {
        const size = unreadCount(state, name)
        const isUnmoved = () => before?.place === place || (size === 0 && isEmpty(fileOf(name)))
        const isSame = before?.sizes.get(name) === size && isUnmoved()
        // A file that could not be updated is left out, so that it differs next time.
        if (isSame || update(state, fileOf(name))) sizes.set(name, size)
      }
      seen = { state, place, sizes }
    },

    archiveForeignLines(state) {
      later = undefined
      makeFolder(disk, inbox)
      // A process may have died after archiving a file, before it showed the unread mail again.
      const wasArchived = archives.hasArchives()
      for (const name of mailboxes(state)) archiveIfForeign(state, fileOf(name), wasArchived)
      strays.clear()
      const own = ownPaths()
      for (const { path, called } of strayFiles(disk, inbox, oldFolders)) {
        if (own.has(path)) continue
        const size = disk.lstatSync(path)?.size ?? 0
        const name = size > 0 ? ownerOf(state, path, called) : undefined
        if (name !== undefined && hasFreeSlot(state, name) && mayArchiveNow(name, size)) archive(path, name)
        else strays.set(path, size)
      }
    },

    hasChanged() {
      const own = ownPaths()
      const isUnread = ({ path }: StrayFile) =>
        !own.has(path) && (disk.lstatSync(path)?.size ?? 0) !== (strays.get(path) ?? 0)
      return [...files.values()].some((file) => file.hasChanged()) || strayFiles(disk, inbox, oldFolders).some(isUnread)
    },
    retryIn: () => (later === undefined ? undefined : Math.max(0, later - performance.now())),

    differences(state) {
      const found: string[] = []
      for (const name of mailboxes(state)) {
        const file = fileOf(name)
        const { path } = file
        const { missing, ...contents } = file.read(state)
        // Read mail may stay in the file until rewriting is worth its cost.
        const stale = isWorthRewriting(state, file, contents.stale) ? contents.stale : 0
        if (contents.damaged > 0) found.push(`${path}: holds ${counted(contents.damaged, 'damaged line')} of ours`)
        if (missing > 0) found.push(`${path}: does not show ${missing} unread message${missing === 1 ? '' : 's'}`)
        if (stale > 0)
          found.push(
            `${path}: shows ${stale} message${stale === 1 ? '' : 's'} that ${stale === 1 ? 'was' : 'were'} read`,
          )
      }
      return found
    },

    repair(state) {
      makeFolder(disk, inbox)
      for (const name of mailboxes(state)) {
        const file = fileOf(name)
        const { stale, missing, damaged } = file.read(state)
        if (stale > 0 || damaged > 0) empty(file)
        if (stale > 0 || damaged > 0 || missing > 0) file.showUnread(state)
      }
    },
  }

  /** Brings a file up to date. False when it has to be retried. */
  function update(state: TeamState, file: InboxFile, contents = file.read(state)): boolean {
    const isStale =
      contents.stale > 0 && isWorthRewriting(state, file, contents.stale) && mayArchiveNow(file.mailbox, contents.size)
    if (isStale) empty(file)
    // Also without unread mail: the inbox file of a read mailbox is empty.
    return isStale || contents.missing > 0 ? file.showUnread(state) : contents.stale === 0
  }

  /** New mail of the journal is shown by `show`, if it is still unread by then. */
  function archiveIfForeign(state: TeamState, file: InboxFile, wasArchived: boolean): void {
    const contents = file.read(state)
    const { isForeign, size } = contents
    if (isForeign && hasFreeSlot(state, file.mailbox) && mayArchiveNow(file.mailbox, size)) {
      empty(file)
      file.showUnread(state)
    } else if (size > 0 || wasArchived) {
      update(state, file, contents)
    }
  }

  function ownPaths(): Set<string> {
    return new Set([...files.values()].map(({ path }) => path))
  }

  function empty(file: InboxFile): void {
    archive(file.path, file.mailbox)
    file.forget()
  }

  function archive(path: string, mailbox: string): void {
    archives.archive(path, mailbox)
    archivedAt.set(mailbox, performance.now())
  }

  /** Removing read lines rewrites all unread ones. With many unread and few read lines that would never end. */
  function isWorthRewriting(state: TeamState, file: InboxFile, stale: number): boolean {
    const unread = unreadCount(state, file.mailbox)
    return unread <= ALWAYS_REWRITTEN || stale >= unread
  }

  /**
   * Every archive stays for ten minutes. The more archives there are, and the more has to be rewritten, the longer the
   * pause between two archivings; with few there is none.
   */
  function mayArchiveNow(mailbox: string, size: number): boolean {
    const overCount = Math.max(0, archives.count() - FREE_ARCHIVES)
    const pause = Math.min(MAX_PAUSE_MS, overCount + Math.max(0, size / 1024 - FREE_KB))
    const from = (archivedAt.get(mailbox) ?? Number.NEGATIVE_INFINITY) + pause
    if (from <= performance.now()) return true
    later = Math.min(later ?? from, from)
    return false
  }

  function hasFreeSlot(state: TeamState, name: string): boolean {
    return canReceive(state, name) && unreadCount(state, name) < UNREAD_CAP
  }

  function fileOf(name: string): InboxFile {
    const file = files.get(name) ?? openInboxFile(join(inbox, `${name}.jsonl`), name, disk, warn)
    files.set(name, file)
    return file
  }

  /** The member whose mail is in a file of the older layouts, or in one whose name differs in case only. */
  function ownerOf(state: TeamState, path: string, called: string): string | undefined {
    const name = nameKey(called) === 'user' ? 'user' : memberNamed(state, called)?.name
    if (name === undefined || fileOf(name).path === path || !disk.lstatSync(path)?.isFile()) return undefined
    // On a file system that ignores case it is the same file under another name.
    return disk.lstatSync(path)?.ino === disk.lstatSync(fileOf(name).path)?.ino ? undefined : name
  }
}

/** A file with at most this many unread messages is always rewritten. */
const ALWAYS_REWRITTEN = 64
/** Above these the pause between two archivings grows by a millisecond per archive and per KB. */
const FREE_ARCHIVES = 64
const FREE_KB = 64
const MAX_PAUSE_MS = 2000

/** Every present and former member, and the user, may have an inbox file. */
function mailboxes(state: TeamState): string[] {
  return [...[...state.members.values()].map(({ name }) => name), 'user']
}

function unreadCount(state: TeamState, name: string): number {
  return state.mailboxes.get(nameKey(name))?.size ?? 0
}
