import { join } from 'node:path'
import { userFolder } from '../permissions/trust/private-folders.ts'
import { type Layer, mergeLayers, type Origin } from './layers.ts'
import type { Settings } from './settings.ts'
import { readSettingsFile } from './settings-file.ts'
import { restrictUntrusted } from './untrusted-settings.ts'

export interface SettingsSources {
  /** The project folder. */
  readonly workspace: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Settings from the command line. */
  readonly flags?: Settings
  /** Called only when a project file contains a setting that needs trust. */
  isTrusted(): boolean
  /** By default the file that only an administrator can write. */
  readonly managed?: string
}

export interface LoadedSettings {
  readonly settings: Settings
  /** Every effective value and its source. */
  readonly origins: readonly Origin[]
  /** Unknown keys, and settings that have no effect without trust. */
  readonly warnings: readonly string[]
}

const MANAGED_FILE = '/etc/deskmates/managed.json'

/** managed > flags > local project > project > user. Throws `InvalidSettings` for a file with an error. */
export function loadSettings(sources: SettingsSources): LoadedSettings {
  const { workspace, env, flags = {}, managed = MANAGED_FILE } = sources
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
    const { kept, ignored } = restrictUntrusted(values)
    if (ignored.length === 0 || sources.isTrusted()) return values
    warnings.push(`${path}: ${ignored.join(', ')} has no effect until you trust this folder: deskmates trust`)
    return kept
  }

  add('managed', managed)
  add('local', join(workspace, '.deskmates', 'settings.local.json'))
  add('project', join(workspace, '.deskmates', 'settings.json'))
  add('user', join(userFolder(env), 'settings.json'))
  return { ...mergeLayers(layers), warnings }
}
