import { resolve } from 'node:path'
import { resolveDepartments } from '../../organisation/departments/resolve-departments.ts'
import { findPhase, openPhase, type Phase } from '../../session/organisation/phase.ts'
import type { Workspace } from '../../workspace.ts'
import type { Call } from '../program/context.ts'
import { configNamed } from './config.ts'
import { validOrganisation } from './organisation.ts'

export interface PhaseOptions {
  phaseDir?: string
  config?: string
}

/** The phase that the options name, or the only one there is, with the departments that the configuration switches on. */
export async function phaseNamed(
  call: Call,
  workspace: Workspace,
  { phaseDir, config: named }: PhaseOptions,
): Promise<Phase> {
  const folder = resolve(call.cwd, call.globals.cwd ?? '.')
  const organisation = validOrganisation(call)
  const { config } = await configNamed(call, named)
  const departments = resolveDepartments(organisation, config)
  const path = phaseDir === undefined ? findPhase(workspace.workspace, organisation) : resolve(folder, phaseDir)
  return openPhase(workspace, path, organisation, departments)
}
