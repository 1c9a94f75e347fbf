import { type LoadedSettings, loadSettings } from '../settings/load-settings.ts'
import type { Settings } from '../settings/settings.ts'
import { folderHash } from '../stores/files/folder-hash.ts'
import type { Workspace } from '../workspace.ts'
import type { Call } from './context.ts'
import { warn } from './print.ts'

/** The settings that count for this call; what is wrong with them is said. */
export async function readSettings(call: Call, place: Workspace, flags: Settings = {}): Promise<LoadedSettings> {
  const { workspace, trust } = place
  const loaded = loadSettings({
    workspace,
    env: call.env,
    flags,
    isTrusted: () => trust.everything || trust.isFolderTrusted(workspace, folderHash(workspace)),
  })
  for (const warning of loaded.warnings) await warn(call, warning)
  return loaded
}
