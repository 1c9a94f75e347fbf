import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { look } from '../../identity.ts'
import { codeOf, ifMissing } from '../disk.ts'
import { entryPath, readEntry, removeEntry } from './control-entry.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Removes the entry and the socket of the session with this journal if its process was killed. */
export function removeLeftControl(env: Env, journal: string): Promise<void> {
  return removeIfLeft(entryPath(env, journal))
}

/** The same for all sessions of this user: their teams may be gone, so no later session replaces what they left. */
export async function removeLeftControls(env: Env): Promise<void> {
  const folder = dirname(entryPath(env, ''))
  const names = ifMissing([], () => readdirSync(folder)).filter((name) => name.endsWith('.json'))
  await Promise.all(names.map((name) => removeIfLeft(join(folder, name))))
}

async function removeIfLeft(path: string): Promise<void> {
  const entry = readEntry(path)
  if (!entry || look(entry.runtime) !== 'dead') return
  // A new session of the same team listens on the same path, and writes its entry a moment later.
  if (isSocket(entry.socket) && !(await isAnswering(entry.socket))) rmSync(entry.socket, { force: true })
  removeEntry(path, entry)
}

function isSocket(path: string): boolean {
  try {
    return lstatSync(path).isSocket()
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(codeOf(error) ?? '')) return false
    throw error
  }
}

/** Whether a process listens on this socket. */
export function isAnswering(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(socket)
    probe.once('connect', () => {
      probe.destroy()
      resolve(true)
    })
    probe.once('error', () => resolve(false))
  })
}
