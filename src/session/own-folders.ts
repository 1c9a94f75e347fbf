import { realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { stateFolder } from '../stores/files/identity/trust.ts'
import { userFolder } from '../tools/paths/user-folder.ts'

/**
 * Where settings, keys and trust of the user are, which may be inside of the workspace: file tools neither read nor write
 * there, because an agent could give itself what the user did not. Real paths in lower case.
 */
export function ownFolders(env: Readonly<Record<string, string | undefined>>): string[] {
  return [userFolder(env), stateFolder(env)].map((folder) => real(folder).toLowerCase())
}

/** The real path, also of a folder that does not exist yet. */
function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return dirname(path) === path ? path : join(real(dirname(path)), basename(path))
  }
}
