import { folderHash } from '../../permissions/trust/folder-hash.ts'
import type { Workspace } from '../../workspace.ts'
import { plain } from '../output/format.ts'
import { warn } from '../output/print.ts'
import type { Call } from '../program/context.ts'
import { instructingFiles } from './instructing-files.ts'

/** Undefined where the person leaves the question. */
type Ask = (message: string) => Promise<boolean | undefined>

/**
 * Asks once whether a folder that brings settings, agents or hooks of its own is trusted as it is now. Either answer is kept until
 * one of them changes.
 */
export async function askTrust(call: Call, workspace: Workspace, ask: Ask = askPerson): Promise<void> {
  const { trust, workspace: folder } = workspace
  const found = instructingFiles(folder)
  if (found.length === 0 || trust.everything) return
  const hash = folderHash(folder)
  if (trust.isFolderTrusted(folder, hash) || trust.isFolderDeclined(folder, hash)) return
  call.prompt?.close()
  const isWanted = await ask(
    `Do you trust this folder? ${plain(folder)} brings ${found.join(', ')}: settings, agents and hooks from there would take effect.`,
  )
  if (isWanted === undefined) return
  if (!isWanted) {
    trust.declineFolder(folder, hash)
    return warn(call, NOT_TRUSTED)
  }
  const { trustFolder } = await import('../trust.ts')
  trustFolder(call, workspace, hash)
}

const NOT_TRUSTED =
  'Settings, agents, skills, commands and hooks of this folder have no effect. You are asked again when they change. To trust them before: deskmates trust'

async function askPerson(message: string): Promise<boolean | undefined> {
  const { confirm, isCancel } = await import('@clack/prompts')
  const isWanted = await confirm({ message, initialValue: false })
  return isCancel(isWanted) ? undefined : isWanted
}
