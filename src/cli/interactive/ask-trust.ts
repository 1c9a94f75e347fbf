import { isTrusted } from '../../permissions/trust/folder-trust.ts'
import type { Workspace } from '../../workspace.ts'
import { plain } from '../output/format.ts'
import type { Call } from '../program/context.ts'
import { instructingFiles } from './instructing-files.ts'

/** Asks once whether a folder that brings settings, agents or hooks of its own is trusted as it is now. */
export async function askTrust(call: Call, workspace: Workspace): Promise<void> {
  const found = instructingFiles(workspace.workspace)
  if (found.length === 0 || isTrusted(workspace)) return
  call.prompt?.close()
  const { confirm, isCancel } = await import('@clack/prompts')
  const isWanted = await confirm({
    message: `Do you trust this folder? ${plain(workspace.workspace)} brings ${found.join(', ')}: settings, agents and hooks from there would take effect.`,
    initialValue: false,
  })
  if (isCancel(isWanted) || !isWanted) return
  const { trustFolder } = await import('../trust.ts')
  trustFolder(call, workspace)
}
