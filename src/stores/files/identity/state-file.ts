import { dirname } from 'node:path'
import { TeamError } from '../../../team/errors.ts'
import { codeOf, type Disk } from '../disk.ts'
import { makeFolder, syncFolders } from '../folders.ts'
import { replaceFile } from '../replace-file.ts'

/** Writes a small file of the state folder, for this user only. Durable when it returns. */
export function writeStateFile(disk: Disk, state: string, file: string, entry: object): void {
  try {
    const made = missingFrom(disk, dirname(file))
    makeFolder(disk, dirname(file))
    replaceFile(disk, file, Buffer.from(`${JSON.stringify(entry)}\n`))
    syncFolders(disk, [file, dirname(file), ...made.map((folder) => dirname(folder))])
  } catch (error) {
    throw new StateNotWritable(state, error)
  }
}

/** A file that cannot be read or parsed trusts nothing and causes a warning; the command that made it writes it again. */
export function readStateFile<T>(
  disk: Disk,
  file: string,
  shape: { parse(value: unknown): T },
  warn: (text: string) => void,
): T | undefined {
  try {
    return shape.parse(JSON.parse(disk.readFileSync(file).toString()))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    const why = codeOf(error) ?? 'it is broken'
    warn(`${file} cannot be used (${why}), so what it trusted counts as not trusted. Run deskmates trust again.`)
    return undefined
  }
}

/** The folder and its ancestors that do not exist yet. */
function missingFrom(disk: Disk, folder: string): string[] {
  return disk.statSync(folder) ? [] : [folder, ...missingFrom(disk, dirname(folder))]
}

export class StateNotWritable extends TeamError {
  readonly code = 'state_not_writable'
  constructor(state: string, cause: unknown) {
    super(
      `Cannot keep in ${state} what you trust (${cause instanceof Error ? cause.message : String(cause)}). ` +
        'Set DESKMATES_STATE to a folder you can write to or, in a container, DESKMATES_TRUST=1.',
      { cause },
    )
  }
}
