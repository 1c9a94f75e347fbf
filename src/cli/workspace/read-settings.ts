import { isTrusted } from '../../session/trusted.ts'
import { type LoadedSettings, loadSettings } from '../../settings/load-settings.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Workspace } from '../../workspace.ts'
import { warn } from '../output/print.ts'
import type { Call } from '../program/context.ts'

/** The settings that count for this call; what is wrong with them is said. */
export async function readSettings(call: Call, place: Workspace, flags: Settings = {}): Promise<LoadedSettings> {
  const loaded = loadSettings({
    workspace: place.workspace,
    env: call.env,
    flags,
    isTrusted: () => isTrusted(place),
  })
  for (const warning of loaded.warnings) await warn(call, warning)
  return loaded
}
