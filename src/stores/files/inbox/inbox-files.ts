import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { canReceive } from '../../../team/mail.ts'
import { UNREAD_CAP } from '../../../team/message.ts'
import { nameKey } from '../../../team/name.ts'
import { memberNamed, type TeamState } from '../../../team/state.ts'
import { counted } from '../../../team/wording.ts'
import type { Disk } from '../disk.ts'
import { makeFolder } from '../folders.ts'
import type { Door } from './archives.ts'
import { type MailboxFile, openMailboxFile } from './inbox-file.ts'
import { type StrayFile, strayFiles } from './stray-files.ts'

/** All mailbox files of a team. */
export interface MailViews {
  /** Shows new unread mail and takes read mail away, in the mailboxes where something changed. */
  show(state: TeamState): void
  /** Looks into every mailbox file and puts aside what holds lines of others. */
  gather(state: TeamState): void
  /** May somebody have written since? */
  hasNews(): boolean
  /** In how many milliseconds something waits that was left for later; undefined when nothing does. */
  waits(): number | undefined
  differences(state: TeamState): string[]
  repair(state: TeamState): void
}

export function openMailViews(options: {
  readonly inbox: string
  /** Where older programs leave mail: `<name>_inbox.jsonl` beside the inbox, and folders like it. */
  readonly oldFolders: readonly string[]
  readonly door: Door
  readonly disk: Disk
  readonly warn: (message: string) => void
}): MailViews {
  const { inbox, oldFolders, door, disk, warn } = options
  const files = new Map<string, MailboxFile>()
  /** When a mailbox was last put aside. Measured, not told: it only spreads work over time. */
  const asideAt = new Map<string, number>()
  /** What was shown last, in figures that are cheap to compare: `place` grows with new mail, a count shrinks with read mail. */
  let seen: { state: TeamState; place: number; sizes: Map<string, number> } | undefined
  let later: number | undefined
  /** Files that are nobody's mailbox file, or could not be taken yet, and how long they were. */
  const strays = new Map<string, number>()

  /** Somebody else may have shown a message that was read before we looked. */
  const isEmpty = ({ path }: MailboxFile) => (disk.lstatSync(path)?.size ?? 0) === 0

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
        // What could not be shown now is left out, so that it differs next time.
        if (isSame || agree(state, fileOf(name))) sizes.set(name, size)
      }
      seen = { state, place, sizes }
    },

    gather(state) {
      later = undefined
      makeFolder(disk, inbox)
      // Somebody may have died after putting a file aside, before what is unread was shown again.
      const wasAside = door.hasArchives()
      for (const name of mailboxes(state)) takeFrom(state, fileOf(name), wasAside)
      strays.clear()
      for (const { path, called } of strayFiles(disk, inbox, oldFolders)) {
        const size = disk.lstatSync(path)?.size ?? 0
        const name = size > 0 ? strayOf(state, path, called) : undefined
        if (name !== undefined && hasRoom(state, name) && isRested(name, size)) putAside(path, name)
        else strays.set(path, size)
      }
    },

    hasNews() {
      const own = new Set([...files.values()].map(({ path }) => path))
      const isNews = ({ path }: StrayFile) =>
        !own.has(path) && (disk.lstatSync(path)?.size ?? 0) !== (strays.get(path) ?? 0)
      return [...files.values()].some((file) => file.hasChanged()) || strayFiles(disk, inbox, oldFolders).some(isNews)
    },
    waits: () => (later === undefined ? undefined : Math.max(0, later - performance.now())),

    differences(state) {
      const found: string[] = []
      for (const name of mailboxes(state)) {
        const file = fileOf(name)
        const { path } = file
        const { missing, ...contents } = file.look(state)
        // What was read may stand there until it is worth writing the rest again.
        const stale = isWorthwhile(state, file, contents.stale) ? contents.stale : 0
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
        const { stale, missing, damaged } = file.look(state)
        if (stale > 0 || damaged > 0) empty(file)
        if (stale > 0 || damaged > 0 || missing > 0) file.showUnread(state)
      }
    },
  }

  /** Brings a file up to date. False when it has to be tried again. */
  function agree(state: TeamState, file: MailboxFile): boolean {
    const contents = file.look(state)
    const isStale =
      contents.stale > 0 && isWorthwhile(state, file, contents.stale) && isRested(file.mailbox, contents.size)
    if (isStale) empty(file)
    // Also with nothing to show: a mailbox that was read is an empty file.
    return isStale || contents.missing > 0 ? file.showUnread(state) : contents.stale === 0
  }

  /** What is new in the journal is shown by `show`, if it is still unread by then. */
  function takeFrom(state: TeamState, file: MailboxFile, wasAside: boolean): void {
    const { isForeign, size } = file.look(state)
    if (isForeign && hasRoom(state, file.mailbox) && isRested(file.mailbox, size)) {
      empty(file)
      file.showUnread(state)
    } else if (size > 0 || wasAside) {
      agree(state, file)
    }
  }

  function empty(file: MailboxFile): void {
    putAside(file.path, file.mailbox)
    file.forget()
  }

  function putAside(path: string, mailbox: string): void {
    door.putAside(path, mailbox)
    asideAt.set(mailbox, performance.now())
  }

  /** Unread lines are written again when others go. With many unread and few read that would never end. */
  function isWorthwhile(state: TeamState, file: MailboxFile, stale: number): boolean {
    const unread = unreadCount(state, file.mailbox)
    return unread <= FEW || stale >= unread
  }

  /**
   * Every putting aside leaves a file for ten minutes. So the more there are, and the more has to be written again,
   * the longer we wait between two; with few it is at once.
   */
  function isRested(mailbox: string, size: number): boolean {
    const pause = Math.min(LONGEST_PAUSE, Math.max(0, door.count() - FEW) + Math.max(0, size / 1024 - FEW))
    const from = (asideAt.get(mailbox) ?? Number.NEGATIVE_INFINITY) + pause
    if (from <= performance.now()) return true
    later = Math.min(later ?? from, from)
    return false
  }

  function hasRoom(state: TeamState, name: string): boolean {
    return canReceive(state, name) && unreadCount(state, name) < UNREAD_CAP
  }

  function fileOf(name: string): MailboxFile {
    const file = files.get(name) ?? openMailboxFile(join(inbox, `${name}.jsonl`), name, disk, warn)
    files.set(name, file)
    return file
  }

  /** Whose mail is in a file of the older layouts, or in one whose name differs from a member's in case only? */
  function strayOf(state: TeamState, path: string, called: string): string | undefined {
    const name = nameKey(called) === 'user' ? 'user' : memberNamed(state, called)?.name
    if (name === undefined || fileOf(name).path === path || !disk.lstatSync(path)?.isFile()) return undefined
    // On a file system that does not know case it is the very file under another name.
    return disk.lstatSync(path)?.ino === disk.lstatSync(fileOf(name).path)?.ino ? undefined : name
  }
}

const FEW = 64
const LONGEST_PAUSE = 2000

/** Who may have a mailbox file: everybody who is or was here. */
function mailboxes(state: TeamState): string[] {
  return [...[...state.members.values()].map(({ name }) => name), 'user']
}

function unreadCount(state: TeamState, name: string): number {
  return state.mailboxes.get(nameKey(name))?.size ?? 0
}
