import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { namesIn, statusOf } from '../paths/safe-reads.ts'
import { removeRecorded } from './git/placeholders.ts'

const PREFIX = 'deskmates-inside-'
/** The runtime is part of the name, so that the owner of a folder is known from the moment it exists. */
const NAME = /^deskmates-inside-(r-[0-9a-fx-]+)-[A-Za-z0-9]{6}$/

/** The folder of one session, with what its commands see as /tmp and home, and a record of placeholders. */
export interface SandboxFolder extends Disposable {
  readonly tmp: string
  readonly home: string
  readonly record: string
}

export function makeSandboxFolder(runtime = ''): SandboxFolder {
  const own = realpathSync(mkdtempSync(join(tmpdir(), `${PREFIX}${runtime === '' ? '' : `${runtime}-`}`)))
  const [tmp, home] = [join(own, 'tmp'), join(own, 'home')]
  for (const folder of [tmp, home]) mkdirSync(folder, { mode: 0o700 })
  return { tmp, home, record: join(own, RECORD), [Symbol.dispose]: () => removeTree(own) }
}

const RECORD = 'placeholders.json'

/**
 * Removes the folders that sessions of this user left when they were killed, with the placeholders they had made.
 * `isDead` says whether a runtime is gone for certain. Returns how many were removed.
 */
export function removeLeftFolders(isDead: (runtime: string) => boolean, place = tmpdir()): number {
  let removed = 0
  for (const name of namesIn(place)) {
    const runtime = NAME.exec(name)?.[1]
    const path = join(place, name)
    if (runtime === undefined || !isOwnFolder(path) || !isDead(runtime)) continue
    removeRecorded(join(path, RECORD))
    if (removeTree(path)) removed++
  }
  return removed
}

/** Also what a program made read-only. */
function removeTree(path: string): boolean {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {
    try {
      makeWritable(path)
      rmSync(path, { recursive: true, force: true })
    } catch {
      // Another process is removing it, or this user may not: the next start tries again.
      return false
    }
  }
  return true
}

function makeWritable(folder: string): void {
  chmodSync(folder, 0o700)
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) makeWritable(join(folder, entry.name))
}

/** Every user of the machine can make a folder of this name in /tmp. */
function isOwnFolder(path: string): boolean {
  const stats = statusOf(path)
  return stats?.isDirectory() === true && (process.getuid === undefined || stats.uid === process.getuid())
}
