import { join } from 'node:path'
import { userFolder } from '../tools/paths/user-folder.ts'
import { holdBack } from './hold-back.ts'
import { type Layer, mergeLayers, type Origin } from './layers.ts'
import type { Settings } from './settings.ts'
import { readSettingsFile } from './settings-file.ts'

export interface SettingsPlaces {
  /** The project's folder. */
  readonly workspace: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** What the command line says. */
  readonly flags?: Settings
  /** Asked only when a project file wants something that needs trust. */
  isTrusted(): boolean
  /** By default the one only an administrator can write. */
  readonly managed?: string
}

export interface LoadedSettings {
  readonly settings: Settings
  /** Every value that counts and where it comes from. */
  readonly origins: readonly Origin[]
  /** What is wrong without being a reason to stop: unknown keys, and what waits for trust. */
  readonly warnings: readonly string[]
}

const MANAGED = '/etc/deskmates/managed.json'

/** managed > flags > local project > project > user. A file that is broken is named and stops everything. */
export function loadSettings(places: SettingsPlaces): LoadedSettings {
  const { workspace, env, flags = {}, managed = MANAGED } = places
  const warnings: string[] = []
  const layers: Layer[] = [{ source: 'flags', values: flags }]
  const add = (source: Layer['source'], path: string) => {
    const file = readSettingsFile(path)
    if (!file) return
    warnings.push(...file.unknown)
    const isOurs = source === 'managed' || source === 'user'
    layers.push({ source, path, values: isOurs ? file.values : trusted(file.values, path) })
  }
  const trusted = (values: Settings, path: string) => {
    const { kept, held } = holdBack(values)
    if (held.length === 0 || places.isTrusted()) return values
    warnings.push(`${path}: ${held.join(', ')} waits until you trust this folder: deskmates trust`)
    return kept
  }

  add('managed', managed)
  add('local', join(workspace, '.deskmates', 'settings.local.json'))
  add('project', join(workspace, '.deskmates', 'settings.json'))
  add('user', join(userFolder(env), 'settings.json'))
  return { ...mergeLayers(layers), warnings }
}
