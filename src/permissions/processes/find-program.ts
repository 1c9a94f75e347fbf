import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { basename, delimiter, isAbsolute, join } from 'node:path'
import { isInsideAny } from '../paths/places.ts'
import { orUndefined, realPath } from '../paths/safe-reads.ts'

/** A program that no agent can have put there. */
export interface Program {
  /** Its real path: no link on the way can be changed later. */
  readonly file: string
  /** Some files are several programs, told apart by this name. */
  readonly argv0: string
}

/**
 * The first program of this name on the PATH that lies outside of the folders agents can write to, by its name and by
 * its real path. Undefined if there is none.
 */
export function findProgram(name: string, path: string | undefined, writable: readonly string[]): Program | undefined {
  for (const folder of programFolders(path, writable)) {
    const file = realFile(join(folder, name))
    if (file !== undefined && !isInsideAny(writable, file)) return { file, argv0: basename(name) }
  }
  return undefined
}

/** Where systems keep their own programs, for what is needed whatever the PATH says. */
export const SYSTEM_PATH = ['/usr/bin', '/bin', '/usr/local/bin', '/run/current-system/sw/bin'].join(delimiter)

/**
 * The PATH without relative folders and without those in which agents can write, for programs of ours and hooks. Where
 * none is set it is that of the system, as a shell would choose it.
 */
export function safePath(path: string | undefined, writable: readonly string[]): string {
  return programFolders(path ?? SYSTEM_PATH, writable).join(delimiter)
}

function programFolders(path: string | undefined, writable: readonly string[]): string[] {
  const isWritable = (folder: string) => [folder, realPath(folder) ?? folder].some((at) => isInsideAny(writable, at))
  return (path ?? '').split(delimiter).filter((folder) => isAbsolute(folder) && !isWritable(folder))
}

function realFile(path: string): string | undefined {
  return orUndefined(() => {
    const file = realpathSync(path)
    accessSync(file, constants.X_OK)
    return statSync(file).isFile() ? file : undefined
  })
}
