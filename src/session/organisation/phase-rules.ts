import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isTrusted } from '../../permissions/trust/folder-trust.ts'
import type { Workspace } from '../../workspace.ts'
import type { PhaseRules } from '../plan/phase-places.ts'

const NO_ORGANISATION: PhaseRules = { handOffFiles: [], planning: '.yolo-planning' }

/**
 * Without an organisation there are no files of hand-offs: so before the user trusts it, as for everything else it says, and
 * while it is not valid, because then no phase runs.
 */
export async function trustedPhaseRules(workspace: Workspace): Promise<PhaseRules> {
  const folder = join(workspace.workspace, '.deskmates', 'organisation')
  if (!existsSync(folder) || !isTrusted(workspace)) return NO_ORGANISATION
  const { readOrganisation } = await import('../../organisation/definition/read-organisation.ts')
  const { handOffFiles } = await import('../../organisation/definition/artefact-names.ts')
  const { organisation } = readOrganisation(folder)
  if (!organisation) return NO_ORGANISATION
  return { handOffFiles: handOffFiles(organisation), planning: organisation.planning }
}
