import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isTrusted } from '../../permissions/trust/folder-trust.ts'
import type { Workspace } from '../../workspace.ts'

/**
 * The files of hand-offs that the organisation of the workspace names: none before the user trusts it, as for everything else it says, and
 * none while it is not valid, because then no phase runs.
 */
export async function trustedHandOffFiles(workspace: Workspace): Promise<readonly string[]> {
  const folder = join(workspace.workspace, '.deskmates', 'organisation')
  if (!existsSync(folder) || !isTrusted(workspace)) return []
  const { readOrganisation } = await import('../../organisation/definition/read-organisation.ts')
  const { handOffFiles } = await import('../../organisation/definition/artefact-names.ts')
  const { organisation } = readOrganisation(folder)
  return organisation ? handOffFiles(organisation) : []
}
