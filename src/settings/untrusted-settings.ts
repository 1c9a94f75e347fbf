import type { Settings } from './settings.ts'

/**
 * The settings of a project that count before the user trusts its folder: none that send keys or prompts elsewhere, run a
 * program or give an agent more permissions. A new setting is ignored here until it is added.
 */
export function restrictUntrusted(values: Settings): { kept: Settings; ignored: string[] } {
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
  return !/^(scripted|replay):/.test(model)
}
