import { constants } from 'node:fs'
import { nameKey } from '../../../team/name.ts'
import { type TeamState, type Unread, unreadOf } from '../../../team/state.ts'
import { type Disk, ifMissing, orUndefined } from '../disk.ts'
import { checkSum, isOwnLine, messageLine } from './own-line.ts'

/** The inbox file of one member: a line for each unread message, to which other programs may append lines. */
export interface InboxFile {
  readonly path: string
  readonly mailbox: string
  /** Reads what was added since the last read. */
  read(state: TeamState): Contents
  /** Whether the file differs from what the last read saw. */
  hasChanged(): boolean
  /** Appends a line for each unread message that has none, creating the file if necessary. False: retry later. */
  showUnread(state: TeamState): boolean
  /** Called after the file was archived: its path now leads to another file or none. */
  forget(): void
}

export interface Contents {
  readonly size: number
  /** Whether it holds a line, complete or not, that we did not write. */
  readonly isForeign: boolean
  /** How many lines show messages that were read since. */
  readonly stale: number
  /** How many unread messages have no line. */
  readonly missing: number
  /** How many lines of ours were changed. */
  readonly damaged: number
}

const CHUNK_BYTES = 256 * 1024
const MAX_LINE_BYTES = 16 * 1024 * 1024
const MAX_WRITE_CHARS = 1024 * 1024

/** The file is only ever appended to or renamed, by every program, so no line can get lost. */
export function openInboxFile(path: string, mailbox: string, disk: Disk, warn: (message: string) => void): InboxFile {
  const shown = new Set<string>()
  let inode = 0
  /** Up to here all lines are complete and read; `end` is the size of the file. */
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

  function read(state: TeamState): Contents {
    readNew(state)
    const unread = state.mailboxes.get(nameKey(mailbox))
    let stale = 0
    for (const id of shown) if (!unread?.has(id)) stale++
    const missing = (unread?.size ?? 0) - (shown.size - stale)
    return { size: end, isForeign: isForeign || position < end, stale, missing, damaged }
  }

  function readNew(state: TeamState): void {
    const there = disk.lstatSync(path)
    if (!there?.isFile()) {
      if (there && !isWarned) warn(`${path} is not a plain file, so it shows no mail and delivers none. Move it away.`)
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
        const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - at))
        const length = disk.readSync(fd, chunk, 0, chunk.length, at)
        if (length === 0) return
        at += length
        rest = Buffer.concat([rest, chunk.subarray(0, length)])
        for (let newline = rest.indexOf(0x0a); newline !== -1; newline = rest.indexOf(0x0a)) {
          const line = rest.toString('utf8', 0, newline)
          rest = rest.subarray(newline + 1)
          position += newline + 1
          addLine(state, line)
        }
        // We write no line that long, and the program that writes this one is not finished.
        if (rest.length > MAX_LINE_BYTES) return
      }
    } finally {
      disk.closeSync(fd)
    }
  }

  /** Another process may archive it at this moment. */
  function openIfThere(): number | undefined {
    return ifMissing(undefined, () => disk.openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW))
  }

  function addLine(state: TeamState, line: string): void {
    if (line.trim() === '') return
    const value: unknown = orUndefined(() => JSON.parse(line))
    const isDamaged = checkSum(line) === 'damaged'
    if (isDamaged) damaged++
    if (!isDamaged && isOwnLine(state, mailbox, value)) shown.add((value as { id: string }).id)
    else isForeign = true
  }

  function showUnread(state: TeamState): boolean {
    for (let tries = 0; tries < 3; tries++) {
      read(state)
      if (isWarned) return true
      const fd = disk.openSync(
        path,
        constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW,
        0o600,
      )
      try {
        const there = disk.fstatSync(fd)
        // Renamed or written to since it was read: what we know of it is no longer true.
        if (there.size !== end || (inode !== 0 && there.ino !== inode)) continue
        inode = there.ino
        return endsInNewline(fd) && append(fd, unreadOf(state, mailbox))
      } finally {
        disk.closeSync(fd)
      }
    }
    return false
  }

  /** Appending to an unfinished line of another program would cut it in two. */
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
    // If another program wrote in between, the next read reads it all, our lines included.
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

  return { path, mailbox, read, hasChanged, showUnread, forget }
}

/** Each line is complete within one write, with a newline on both sides, so it neither joins nor cuts lines of others. */
function* framed(unread: readonly Unread[]): Generator<Buffer> {
  let text = ''
  for (const one of unread) {
    text += `\n${messageLine(one)}\n`
    if (text.length < MAX_WRITE_CHARS) continue
    yield Buffer.from(text)
    text = ''
  }
  if (text !== '') yield Buffer.from(text)
}
