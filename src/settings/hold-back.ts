import type { Settings } from './settings.ts'

/**
 * What a project's files may say before somebody trusts the folder: nothing that spends money elsewhere, runs a program
 * or lets an agent do more. Everything new is held back until it is added here.
 */
export function holdBack(values: Settings): { kept: Settings; held: string[] } {
  const { $schema, maxOutputTokens, model, fallbackModels, permissions = {}, ...rest } = values
  const held = Object.keys(rest)
  const kept: Settings = { ...($schema && { $schema }), ...(maxOutputTokens !== undefined && { maxOutputTokens }) }

  if (model !== undefined) {
    if (isProvided(model)) kept.model = model
    else held.push('model')
  }
  if (fallbackModels) {
    if (fallbackModels.every(isProvided)) kept.fallbackModels = fallbackModels
    else held.push('fallbackModels')
  }

  const { mode, allow, ask, deny, ...others } = permissions
  held.push(...Object.keys(others).map((key) => `permissions.${key}`))
  if (allow) held.push('permissions.allow')
  const isNarrowing = mode !== undefined && NARROWING.includes(mode)
  if (mode !== undefined && !isNarrowing) held.push('permissions.mode')
  if (isNarrowing || ask || deny)
    kept.permissions = { ...(isNarrowing && { mode }), ...(ask && { ask }), ...(deny && { deny }) }
  return { kept, held: held.sort() }
}

const NARROWING: readonly string[] = ['default', 'plan', 'dontAsk']

/** A scripted model may be a program, and a recording is anybody's words. */
function isProvided(model: string): boolean {
  return !/^(scripted|replay):/.test(model)
}
