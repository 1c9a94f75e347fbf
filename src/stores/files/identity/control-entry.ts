import { createHash } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { z } from 'zod'
import { TeamError } from '../../../team/errors.ts'
import { stateFolder } from './trust.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Raised when requests or answers change; a client of another one says so and does not try. */
export const CONTROL_PROTOCOL = 1

/**
 * How to reach a session, in a file that only this user can read. A client trusts this file and nothing in the workspace:
 * otherwise a repository could name a socket of its own and be sent the token.
 */
const ControlEntry = z.object({
  protocol: z.number(),
  version: z.string(),
  session: z.string(),
  runtime: z.string(),
  socket: z.string(),
  token: z.string(),
})
export type ControlEntry = z.infer<typeof ControlEntry>

/** The folder of the control sockets of this user. */
export function socketFolder(env: Env): string {
  return runtimeFolder(env) ?? join(stateFolder(env), 'control')
}

/** The same, where it is not in the state folder. */
export function runtimeFolder({ XDG_RUNTIME_DIR: runtime }: Env): string | undefined {
  return runtime && isAbsolute(runtime) ? join(runtime, 'deskmates') : undefined
}

/** A socket's path may have about a hundred bytes, so its name is short: it depends on where the journal is. */
export function socketPath(env: Env, journal: string): string {
  return join(socketFolder(env), `${hashOf(journal)}.sock`)
}

export function entryPath(env: Env, journal: string): string {
  return join(stateFolder(env), 'control', `${hashOf(journal)}.json`)
}

/** Undefined if there is none that can be used. */
export function readEntry(path: string): ControlEntry | undefined {
  try {
    return ControlEntry.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return undefined
  }
}

export function writeEntry(path: string, entry: ControlEntry): void {
  makePrivateFolder(dirname(path))
  rmSync(path, { force: true })
  writeFileSync(path, `${JSON.stringify(entry)}\n`, { mode: 0o600, flag: 'wx' })
}

/** Removes it unless a later session has replaced it. */
export function removeEntry(path: string, { token }: ControlEntry): void {
  if (readEntry(path)?.token === token) rmSync(path, { force: true })
}

/** Makes a folder that other users can neither read nor write; one that belongs to another user is refused. */
export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const found = lstatSync(folder)
  if (!found.isDirectory() || (process.getuid && found.uid !== process.getuid())) throw new FolderNotPrivate(folder)
  if ((found.mode & 0o077) !== 0) chmodSync(folder, 0o700)
}

export class FolderNotPrivate extends TeamError {
  readonly code = 'folder_not_private'
  constructor(folder: string) {
    super(
      `${folder} is not a folder of this user. Remove it, or set XDG_RUNTIME_DIR and DESKMATES_STATE to your own folders.`,
    )
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
