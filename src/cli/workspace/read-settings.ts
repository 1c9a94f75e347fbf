import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { isInside } from '../../permissions/paths/places.ts'
import { realPath } from '../../permissions/paths/safe-reads.ts'
import { isTrusted } from '../../permissions/trust/folder-trust.ts'
import { type GivenSettings, type LoadedSettings, loadSettings } from '../../settings/load-settings.ts'
import type { Settings } from '../../settings/settings.ts'
import { InvalidSettings, parseSettings } from '../../settings/settings-file.ts'
import type { Workspace } from '../../workspace.ts'
import { warn } from '../output/print.ts'
import type { Call } from '../program/context.ts'
import { Misused } from '../program/failure.ts'

/** The effective settings of this call, with warnings about invalid ones. `given` is the value of `--settings`. */
export async function readSettings(
  call: Call,
  workspace: Workspace,
  flags: Settings = {},
  given?: string,
): Promise<LoadedSettings> {
  const loaded = loadSettings({
    workspace: workspace.workspace,
    env: call.env,
    flags,
    given: given === undefined ? undefined : givenSettings(call, workspace, given),
    isTrusted: () => isTrusted(workspace),
  })
  for (const warning of loaded.warnings) await warn(call, warning)
  return loaded
}

const MAX_FILE_BYTES = 1024 * 1024

/** The settings of `--settings FILE` or `--settings JSON`. What is wrong with them is a mistake of the command line. */
function givenSettings(call: Call, { workspace }: Workspace, given: string): GivenSettings {
  try {
    if (given.trimStart().startsWith('{')) {
      const path = '--settings'
      return { ...parseSettings(given, path), path, isProject: false }
    }
    const path = resolve(call.cwd, call.globals.cwd ?? '.', given)
    const isProject = isInside(realPath(workspace) ?? workspace, realPath(path) ?? path)
    return { ...parseSettings(readGiven(path), path), path, isProject }
  } catch (error) {
    if (error instanceof InvalidSettings) throw new Misused(`--settings: ${error.message}`)
    throw error
  }
}

function readGiven(path: string): string {
  try {
    const stats = statSync(path)
    if (!stats.isFile() || stats.size > MAX_FILE_BYTES) throw new Error('it is not a file of at most 1 MB')
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new Misused(
      `--settings: ${path} cannot be read (${why}). Name a file like .deskmates/settings.json, or JSON.`,
    )
  }
}
