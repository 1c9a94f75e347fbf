import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { realPath } from '../paths/safe-reads.ts'

/** The folder with the settings of this user. The XDG specification says to ignore a relative path. */
export function userFolder(env: Readonly<Record<string, string | undefined>>): string {
  const xdg = env.XDG_CONFIG_HOME
  return xdg && isAbsolute(xdg) ? join(xdg, 'deskmates') : join(env.HOME || homedir(), '.config', 'deskmates')
}

/**
 * Folders with settings, keys and trust of the user, which may be inside of the workspace: file tools neither read nor write
 * there, because an agent could give itself what the user did not. Real paths in lower case.
 */
export function privateFolders(folders: readonly string[]): string[] {
  return folders.map((folder) => futurePath(folder).toLowerCase())
}

/** The real path, also of a folder that does not exist yet. */
function futurePath(path: string): string {
  return realPath(path) ?? (dirname(path) === path ? path : join(futurePath(dirname(path)), basename(path)))
}
