import { folderHash } from './folder-hash.ts'

/** What the user trusts, as far as a folder is concerned. The workspace implements it. */
export interface FolderTrust {
  /** Also what no decision of the user covers. */
  readonly everything: boolean
  isFolderTrusted(path: string, contentHash: string): boolean
}

/**
 * Whether the user trusts what this folder says as it is now: settings, hooks, agents, skills with commands, checks. By
 * content, so that a change asks again. Ask it right before such a thing takes effect, and say `deskmates trust` if not.
 */
export function isTrusted({ workspace, trust }: { readonly workspace: string; readonly trust: FolderTrust }): boolean {
  return trust.everything || trust.isFolderTrusted(workspace, folderHash(workspace))
}
