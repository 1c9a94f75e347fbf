import { folderHash } from '../stores/files/identity/folder-hash.ts'
import type { Workspace } from '../workspace.ts'

/**
 * Whether the user trusts what this folder says as it is now: settings, hooks, agents, skills with commands, checks. By
 * content, so that a change asks again. Ask it right before such a thing takes effect, and say `deskmates trust` if not.
 */
export function isTrusted({ workspace, trust }: Pick<Workspace, 'workspace' | 'trust'>): boolean {
  return trust.everything || trust.isFolderTrusted(workspace, folderHash(workspace))
}
