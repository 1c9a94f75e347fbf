import { isTrusted } from '../../permissions/trust/folder-trust.ts'
import { type LoadedSettings, loadSettings } from '../../settings/load-settings.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Workspace } from '../../workspace.ts'
import { warn } from '../output/print.ts'
import type { Call } from '../program/context.ts'

/** The effective settings of this call, with warnings about invalid ones. */
export async function readSettings(call: Call, workspace: Workspace, flags: Settings = {}): Promise<LoadedSettings> {
  const loaded = loadSettings({
    workspace: workspace.workspace,
    env: call.env,
    flags,
    isTrusted: () => isTrusted(workspace),
  })
  for (const warning of loaded.warnings) await warn(call, warning)
  return loaded
}
