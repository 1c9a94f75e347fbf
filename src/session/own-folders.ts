import { realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isInside } from '../permissions/paths/places.ts'
import type { AgentPermissions } from '../permissions/permissions.ts'
import { stateFolder } from '../stores/files/identity/trust.ts'
import { userFolder } from '../tools/paths/user-folder.ts'

/**
 * Whoever works in their home folder has their settings, keys and trust inside of the workspace. File tools neither
 * read nor write there: an agent could give itself what the user did not.
 */
export function withoutFolders(permits: AgentPermissions, folders: readonly string[]): AgentPermissions {
  return {
    ...permits,
    forbids: (kind, path) =>
      folders.some((folder) => isInside(folder, path.toLowerCase())) || permits.forbids(kind, path),
  }
}

export function ownFolders(env: Readonly<Record<string, string | undefined>>): string[] {
  return [userFolder(env), stateFolder(env)].map((folder) => real(folder).toLowerCase())
}

/** Where it is, or would be once somebody made it. */
function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return dirname(path) === path ? path : join(real(dirname(path)), basename(path))
  }
}
