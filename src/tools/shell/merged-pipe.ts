import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { findProgram, SYSTEM_PATH } from '../../permissions/processes/find-program.ts'
import { runProgram } from '../../permissions/processes/run-program.ts'

/** One pipe that a command can use as its output and its errors, so that they stay in order. */
export interface MergedPipe {
  readonly reader: Readable
  /** What to spawn with. */
  readonly writer: number
  /** Once the command has it: from then on the reader ends with the last writer. */
  closeWriter(): void
}

/**
 * A real pipe. What Node makes itself is a socket, which Linux cannot open a second time by name, so that commands with
 * `> /dev/stderr` or `tee /dev/stdout` would fail. Undefined where none can be made: use what Node makes.
 */
export async function openMergedPipe(): Promise<MergedPipe | undefined> {
  const mkfifo = process.platform === 'linux' ? findProgram('mkfifo', SYSTEM_PATH, []) : undefined
  if (mkfifo === undefined) return undefined
  let folder: string | undefined
  try {
    folder = mkdtempSync(join(tmpdir(), 'deskmates-'))
    const path = join(folder, 'output')
    await runProgram({ ...mkfifo, args: ['-m', '600', path], cwd: '/', env: {}, timeout: 10_000 })
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const writer = openSync(path, constants.O_WRONLY | constants.O_NOFOLLOW)
    return {
      reader: new Socket({ fd: reader, readable: true, writable: false }),
      writer,
      closeWriter: () => closeSync(writer),
    }
  } catch {
    return undefined
  } finally {
    if (folder) rmSync(folder, { recursive: true, force: true })
  }
}
