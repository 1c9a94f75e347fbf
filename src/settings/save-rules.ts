import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { userFolder } from '../permissions/trust/private-folders.ts'
import { parseJsonc } from './jsonc.ts'
import type { Settings } from './settings.ts'
import { InvalidSettings, parseSettings } from './settings-file.ts'

/** The settings of the user, for all projects. */
export function userSettingsFile(env: Readonly<Record<string, string | undefined>>): string {
  return join(userFolder(env), 'settings.json')
}

/**
 * Adds rules to `permissions.allow` of a settings file and returns those that were not in it yet. Everything else in the file
 * stays as it is, comments and unknown keys too. Whole or not at all; a file that cannot be read is not touched.
 */
export function saveRules(path: string, rules: readonly string[]): readonly string[] {
  for (let tries = 0; ; tries++) {
    const before = textOf(path)
    const { text, added } = withRules(before, path, rules)
    if (added.length === 0) return []
    // Another program may have changed the file since it was read.
    if (replace(path, text, () => textOf(path) === before)) return added
    if (tries >= MAX_TRIES)
      throw new InvalidSettings(`${path} is being changed by another program. Add the rule there: ${added.join(', ')}`)
  }
}

const MAX_TRIES = 10

/** The text of the file with these rules, and those that it did not have before. */
export function withRules(
  before: string | undefined,
  path: string,
  rules: readonly string[],
): { readonly text: string; readonly added: readonly string[] } {
  if (before === undefined)
    return { text: `${JSON.stringify({ permissions: { allow: rules } }, null, 2)}\n`, added: rules }
  // Throws where the file is invalid.
  const { values } = parseSettings(before, path)
  const known = new Set(values.permissions?.allow ?? [])
  const added = rules.filter((rule) => !known.has(rule))
  if (added.length === 0) return { text: before, added }
  const text = added.reduce(withRule, before)
  if (!isAsBefore(before, text, added))
    throw new InvalidSettings(`${path} has a form in which no rule can be added. Add it by hand: ${added.join(', ')}`)
  return { text, added }
}

/** The rule stands in the innermost place of these that exists; what is missing is written around it. */
function withRule(text: string, rule: string): string {
  const { value } = parseJsonc(text)
  const { permissions } = value as Settings
  if (permissions === undefined)
    return withLast(text, [], Object.keys(value as object), `"permissions": { "allow": [${JSON.stringify(rule)}] }`)
  if (permissions.allow === undefined)
    return withLast(text, ['permissions'], Object.keys(permissions), `"allow": [${JSON.stringify(rule)}]`)
  return withLast(text, ['permissions', 'allow'], [...permissions.allow.keys()], JSON.stringify(rule))
}

/** Adds a last item to the object or list at this path, in the way its other items are written. */
function withLast(text: string, path: readonly PropertyKey[], keys: readonly PropertyKey[], item: string): string {
  const { endOf, offsetOf } = parseJsonc(text)
  const close = endOf(path) - 1
  const last =
    keys.length === 0
      ? undefined
      : [...path, keys.reduce((a, b) => (endOf([...path, a]) > endOf([...path, b]) ? a : b))]
  if (last === undefined) {
    const open = text.slice(0, close).search(/[[{]\s*$/)
    // Only comments in it: the item stands behind them.
    return open === -1
      ? `${text.slice(0, close)}${item}${text.slice(close)}`
      : `${text.slice(0, open + 1)} ${item} ${text.slice(close)}`
  }
  const end = endOf(last)
  const comma = /^(?:\s|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)*,/.exec(text.slice(end, close))?.[0]
  const behind = end + (comma?.length ?? 0)
  const lineEnd = text.indexOf('\n', behind)
  const separated = comma === undefined ? `${text.slice(0, end)},` : text.slice(0, behind)
  // A comment on the line of the last item stays with it.
  if (lineEnd === -1 || lineEnd > close) return `${separated} ${item}${text.slice(behind)}`
  const lineStart = text.lastIndexOf('\n', offsetOf(last)) + 1
  const indent = /^[ \t]*/.exec(text.slice(lineStart))![0]
  const newline = text[lineEnd - 1] === '\r' ? '\r\n' : '\n'
  const rest = newline === '\r\n' ? lineEnd - 1 : lineEnd
  return `${separated}${text.slice(behind, rest)}${newline}${indent}${item}${comma === undefined ? '' : ','}${text.slice(rest)}`
}

/** Nothing but the rules is different. */
function isAsBefore(before: string, after: string, added: readonly string[]): boolean {
  try {
    const { permissions = {}, ...rest } = parseJsonc(before).value as Settings
    const expected = { ...rest, permissions: { ...permissions, allow: [...(permissions.allow ?? []), ...added] } }
    return isDeepStrictEqual(parseJsonc(after).value, expected)
  } catch {
    return false
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new InvalidSettings(`${path} cannot be read (${message}). Make it readable, or remove it.`, { cause: error })
  }
}

/** False, with nothing changed, if `isUnchanged` says so in the last moment. A link stays, and what it leads to is replaced. */
function replace(path: string, text: string, isUnchanged: () => boolean): boolean {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const real = realOr(path)
  const mode = (statSync(real, { throwIfNoEntry: false })?.mode ?? 0o600) & 0o777
  const temporary = join(dirname(real), `.${basename(real)}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    const file = openSync(temporary, 'wx', mode)
    try {
      writeFileSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    if (!isUnchanged()) return false
    renameSync(temporary, real)
    return true
  } catch (error) {
    throw new InvalidSettings(`${path} cannot be written (${(error as Error).message}). Nothing was changed.`, {
      cause: error,
    })
  } finally {
    rmSync(temporary, { force: true })
  }
}

function realOr(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
