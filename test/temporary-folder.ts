import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Each project of vitest.config.ts calls this: the first call makes the folder for all of them. */
const OWNER = 'DESKMATES_TEST_FOLDER_OF'

/**
 * Gives a run of the suite its own temporary folder and removes it afterwards: what a killed test leaves does not stay on
 * the machine, and does not slow down the next run. The name is short because sockets have a short path.
 */
export default function setup(): () => void {
  if (process.env[OWNER] === String(process.pid)) return () => {}
  process.env[OWNER] = String(process.pid)
  const folder = mkdtempSync(join(tmpdir(), 'dm-'))
  // A database server of the tests runs as another user.
  chmodSync(folder, 0o755)
  process.env.TMPDIR = folder
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}
