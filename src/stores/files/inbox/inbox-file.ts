import { constants } from 'node:fs'
import { nameKey } from '../../../team/name.ts'
import { type TeamState, type Unread, unreadOf } from '../../../team/state.ts'
import { codeOf, type Disk } from '../disk.ts'
import { isOwnLine } from './foreign-line.ts'
import { judgeCopy, shownLine } from './own-line.ts'

/** One member's mailbox as a file: a line for each unread message, and a door for lines of others. */
export interface MailboxFile {
  readonly path: string
  readonly mailbox: string
  /** Reads what was added since the last look. */
  look(state: TeamState): Contents
  /** Is there anything that the last look did not see? */
  hasChanged(): boolean
  /** Adds a line for everything unread that has none, making the file if need be. False: not now, try again later. */
  showUnread(state: TeamState): boolean
  /** It was put aside; whatever stands at its path now is another file. */
  forget(): void
}

export interface Contents {
  readonly size: number
  /** Holds something that we do not know as ours, whole or begun. */
  readonly isForeign: boolean
  /** How many messages are shown that have been read since. */
  readonly stale: number
  /** How many unread messages have no line. */
  readonly missing: number
  /** How many lines of ours are not what we wrote. */
  readonly damaged: number
}

const CHUNK = 256 * 1024
const MAX_LINE = 16 * 1024 * 1024
const WRITE_AT_ONCE = 1024 * 1024

/** The file is only ever appended to or renamed away, by us and by everybody: nothing written to it can get lost. */
export function openMailboxFile(
  path: string,
  mailbox: string,
  disk: Disk,
  warn: (message: string) => void,
): MailboxFile {
  const shown = new Set<string>()
  let inode = 0
  /** Up to here all lines are whole and looked at; `end` is how long the file was. */
  let position = 0
  let end = 0
  let isForeign = false
  let damaged = 0
  let isWarned = false

  function forget(): void {
    shown.clear()
    inode = position = end = damaged = 0
    isForeign = false
  }

  function look(state: TeamState): Contents {
    readOn(state)
    const unread = state.mailboxes.get(nameKey(mailbox))
    let stale = 0
    for (const id of shown) if (!unread?.has(id)) stale++
    const missing = (unread?.size ?? 0) - (shown.size - stale)
    return { size: end, isForeign: isForeign || position < end, stale, missing, damaged }
  }

  function readOn(state: TeamState): void {
    const there = disk.lstatSync(path)
    if (!there?.isFile()) {
      if (there && !isWarned) warn(`${path} is not a plain file, so it shows no mail and brings none in. Move it away.`)
      isWarned = there !== undefined
      return forget()
    }
    if (there.ino !== inode || there.size < end) forget()
    inode = there.ino
    if (there.size === end) return
    end = there.size
    readLines(state)
  }

  function readLines(state: TeamState): void {
    const fd = openIfThere()
    if (fd === undefined) return forget()
    try {
      if (disk.fstatSync(fd).ino !== inode) return forget()
      let rest: Buffer = Buffer.alloc(0)
      for (let at = position; at < end; ) {
        const chunk = Buffer.allocUnsafe(Math.min(CHUNK, end - at))
        const length = disk.readSync(fd, chunk, 0, chunk.length, at)
        if (length === 0) return
        at += length
        rest = Buffer.concat([rest, chunk.subarray(0, length)])
        for (let newline = rest.indexOf(0x0a); newline !== -1; newline = rest.indexOf(0x0a)) {
          const line = rest.toString('utf8', 0, newline)
          rest = rest.subarray(newline + 1)
          position += newline + 1
          learn(state, line)
        }
        // None of ours is that long, and whoever wrote it will not be finished soon.
        if (rest.length > MAX_LINE) return
      }
    } finally {
      disk.closeSync(fd)
    }
  }

  /** Another process may put it aside in this instant. */
  function openIfThere(): number | undefined {
    try {
      return disk.openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW)
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined
      throw error
    }
  }

  function learn(state: TeamState, line: string): void {
    if (line.trim() === '') return
    const value = parse(line)
    const isDamaged = judgeCopy(line) === 'damaged'
    if (isDamaged) damaged++
    if (!isDamaged && isOwnLine(state, mailbox, value)) shown.add((value as { id: string }).id)
    else isForeign = true
  }

  function showUnread(state: TeamState): boolean {
    for (let tries = 0; tries < 3; tries++) {
      look(state)
      if (isWarned) return true
      const fd = disk.openSync(
        path,
        constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW,
        0o600,
      )
      try {
        const there = disk.fstatSync(fd)
        // Renamed or written to since we looked: what we know of it is no longer true.
        if (there.size !== end || (inode !== 0 && there.ino !== inode)) continue
        inode = there.ino
        return endsInNewline(fd) && append(fd, unreadOf(state, mailbox))
      } finally {
        disk.closeSync(fd)
      }
    }
    return false
  }

  /** Behind a line that somebody is still writing we would cut it in two. */
  function endsInNewline(fd: number): boolean {
    const last = Buffer.alloc(1)
    return end === 0 || (disk.readSync(fd, last, 0, 1, end - 1) === 1 && last[0] === 0x0a)
  }

  function append(fd: number, unread: readonly Unread[]): boolean {
    const lines = unread.filter(({ message }) => !shown.has(message.id))
    let length = 0
    for (const bytes of framed(lines)) {
      length += bytes.length
      if (disk.writeSync(fd, bytes) !== bytes.length) return false
    }
    // If somebody wrote in between, the next look reads it all, ours included.
    if (disk.fstatSync(fd).size !== end + length) return true
    position = end += length
    for (const { message } of lines) shown.add(message.id)
    return true
  }

  function hasChanged(): boolean {
    const there = disk.lstatSync(path)
    const { size, ino } = there?.isFile() ? there : { size: 0, ino: 0 }
    return size !== end || ino !== inode
  }

  return { path, mailbox, look, hasChanged, showUnread, forget }
}

/** Each line whole within one write, a newline on both sides: it neither joins nor cuts what others write. */
function* framed(unread: readonly Unread[]): Generator<Buffer> {
  let text = ''
  for (const one of unread) {
    text += `\n${shownLine(one)}\n`
    if (text.length < WRITE_AT_ONCE) continue
    yield Buffer.from(text)
    text = ''
  }
  if (text !== '') yield Buffer.from(text)
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
