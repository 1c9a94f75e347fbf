import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { firstOverlap } from '../../team/board/reservation.ts'
import { nameKey } from '../../team/name.ts'
import { STATE_FOLDERS } from '../paths/file-access.ts'
import type { ToolContext } from '../tool.ts'

/** The reserved files around one command, from before it starts until it has ended. */
export interface CommandWatch extends Disposable {
  /** Keys of the names of agents whose commands ran at the same time. */
  readonly others: ReadonlySet<string>
  /** Which of the files changed since the start, relative to the root, and not by a file tool. */
  changed(): string[]
}

interface Running {
  readonly root: string
  readonly member: string
  readonly before: Map<string, string>
  readonly others: Set<string>
}

/** The commands of all agents of this process. */
const running = new Set<Running>()

/** `patterns` are what others reserve; without any, no file is looked at. */
export function watchCommand(
  { root, agent }: Pick<ToolContext, 'root' | 'agent'>,
  patterns: readonly string[],
): CommandWatch {
  const member = nameKey(agent)
  const mine: Running = { root, member, before: stampReservedFiles(root, patterns), others: new Set() }
  for (const other of running) {
    if (other.root !== root) continue
    other.others.add(member)
    mine.others.add(other.member)
  }
  running.add(mine)
  return {
    others: mine.others,
    changed: () => (patterns.length === 0 ? [] : changedBetween(mine.before, stampReservedFiles(root, patterns))),
    [Symbol.dispose]: () => void running.delete(mine),
  }
}

/** A file tool wrote this file: that is announced by itself, and is no work of the commands that run meanwhile. */
export function noteWritten(root: string, path: string): void {
  for (const { root: place, before } of running) {
    if (place !== root) continue
    const name = relative(root, path)
    const stamp = stampOf(root, name)
    if (stamp === undefined) before.delete(name)
    else before.set(name, stamp)
  }
}

/** A stamp of each file that patterns reserve, by its path relative to the root. */
type ReservedFiles = ReadonlyMap<string, string>

/** So many files and folders are looked at; what a reservation holds beyond them is not watched. */
const MAX_ENTRIES = 10_000

/** Package managers write these, and no task is about them one by one. */
const SKIPPED_FOLDERS: ReadonlySet<string> = new Set([...STATE_FOLDERS, 'node_modules'])

/** Looks at the files below `root` that one of these normalised patterns reserves. Links are not followed. */
function stampReservedFiles(root: string, patterns: readonly string[]): Map<string, string> {
  const found = new Map<string, string>()
  if (patterns.length === 0) return found
  const folders = ['']
  let entries = 0
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    for (const entry of list(join(root, folder))) {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (!firstOverlap([name.normalize('NFC')], patterns)) continue
      if (++entries > MAX_ENTRIES) return found
      if (!entry.isDirectory()) found.set(name, stampOf(root, name) ?? '')
      else if (!SKIPPED_FOLDERS.has(entry.name)) folders.push(name)
    }
  }
  return found
}

/** The files that were made, written, replaced or removed between two looks. */
function changedBetween(before: ReservedFiles, after: ReservedFiles): string[] {
  const names = new Set([...before.keys(), ...after.keys()])
  return [...names].filter((name) => before.get(name) !== after.get(name)).sort()
}

/** Undefined if there is no such file. The time of the last change of the inode cannot be set back by a command. */
export function stampOf(root: string, name: string): string | undefined {
  const stats = lstatSync(join(root, name), { bigint: true, throwIfNoEntry: false })
  return stats && [stats.dev, stats.ino, stats.mode, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ')
}

function list(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // Gone meanwhile, or not readable for this user.
    return []
  }
}
