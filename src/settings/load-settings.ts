import { join } from 'node:path'
import { isModelFile } from '../models/model-names.ts'
import { type Layer, mergeLayers, type Origin } from './layers.ts'
import { userSettingsFile } from './save-rules.ts'
import type { Settings } from './settings.ts'
import { readSettingsFile, type SettingsFile } from './settings-file.ts'

export interface SettingsSources {
  /** The project folder. */
  readonly workspace: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Settings from the command line. */
  readonly flags?: Settings
  /** A file, or JSON, that the command line names: below its other options, above every file of the project. */
  readonly given?: GivenSettings | undefined
  /** Called only when a project file contains a setting that needs trust. */
  isTrusted(): boolean
  /** By default the file that only an administrator can write. */
  readonly managed?: string
}

export interface GivenSettings extends SettingsFile {
  readonly path: string
  /** It is a file in the project folder, which agents may have written: what needs trust there needs it here. */
  readonly isProject: boolean
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
  if (sources.given) {
    const { values, unknown, path, isProject } = sources.given
    warnings.push(...unknown)
    layers.push({ source: 'flags', path, values: isProject ? trusted(values, path) : values })
  }
  add('local', join(workspace, '.deskmates', 'settings.local.json'))
  add('project', join(workspace, '.deskmates', 'settings.json'))
  add('user', userSettingsFile(env))
  return { ...mergeLayers(layers), warnings }
}

/**
 * The settings of a project that count before the user trusts its folder: none that send keys or prompts elsewhere, run a
 * program or give an agent more permissions. A new setting is ignored here until it is added.
 */
function restrictUntrusted(values: Settings): { kept: Settings; ignored: string[] } {
  const { $schema, maxOutputTokens, model, fallbackModels, permissions = {}, ...rest } = values
  const ignored = Object.keys(rest)
  const kept: Settings = { ...($schema && { $schema }), ...(maxOutputTokens !== undefined && { maxOutputTokens }) }

  if (model !== undefined) {
    if (isProvided(model)) kept.model = model
    else ignored.push('model')
  }
  if (fallbackModels) {
    if (fallbackModels.every(isProvided)) kept.fallbackModels = fallbackModels
    else ignored.push('fallbackModels')
  }

  const { mode, allow, ask, deny, ...others } = permissions
  ignored.push(...Object.keys(others).map((key) => `permissions.${key}`))
  if (allow) ignored.push('permissions.allow')
  const isNarrowing = mode !== undefined && NARROWING.includes(mode)
  if (mode !== undefined && !isNarrowing) ignored.push('permissions.mode')
  if (isNarrowing || ask || deny)
    kept.permissions = { ...(isNarrowing && { mode }), ...(ask && { ask }), ...(deny && { deny }) }
  return { kept, ignored: ignored.sort() }
}

const NARROWING: readonly string[] = ['default', 'plan', 'dontAsk']

/** A script may be a program, and a recording may contain any text. */
function isProvided(model: string): boolean {
  return !isModelFile(model)
}
