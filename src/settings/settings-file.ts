import { readFileSync } from 'node:fs'
import { TeamError } from '../team/errors.ts'
import { type Jsonc, NotJsonc, parseJsonc } from './jsonc.ts'
import { Settings } from './settings.ts'

/** A settings file with an error is refused as a whole: otherwise its denials could be lost unnoticed. */
export class InvalidSettings extends TeamError {
  readonly code = 'settings_broken'
}

export interface SettingsFile {
  readonly values: Settings
  /** A message for each unknown key, with its position. */
  readonly unknown: readonly string[]
}

/** Undefined if the file does not exist. JSON with comments and trailing commas. */
export function readSettingsFile(path: string): SettingsFile | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new InvalidSettings(`${path} cannot be read (${message}). Make it readable, or remove it.`, { cause: error })
  }
  return parseSettings(text, path)
}

export function parseSettings(text: string, path: string): SettingsFile {
  const { value, offsetOf } = parse(text, path)
  const where = (keys: readonly PropertyKey[]) => `${path}:${position(text, offsetOf(keys))}`

  const unknown: string[] = []
  for (;;) {
    const checked = Settings.safeParse(value)
    if (checked.success) return { values: value as Settings, unknown }
    const [issue] = checked.error.issues
    if (issue?.code !== 'unrecognized_keys')
      throw new InvalidSettings(
        `${where(issue!.path)}: ${issue!.path.join('.') || 'the file'}: ${issue!.message}. Correct it.`,
      )
    for (const key of issue.keys) {
      const keys = [...issue.path, key]
      unknown.push(`${where(keys)}: unknown key ${keys.join('.')}; it has no effect.`)
      remove(value, keys)
    }
  }
}

function parse(text: string, path: string): Jsonc {
  try {
    return parseJsonc(text)
  } catch (error) {
    if (!(error instanceof NotJsonc)) throw error
    throw new InvalidSettings(
      `${path}:${position(text, error.offset)}: this is not JSON (${error.message}). Correct it.`,
    )
  }
}

function remove(value: unknown, [key, ...rest]: readonly PropertyKey[]): void {
  const object = value as Record<PropertyKey, unknown>
  if (rest.length === 0) delete object[key!]
  else remove(object[key!], rest)
}

/** `line:column`, counted from 1 as editors do. */
function position(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n')
  return `${before.length}:${before.at(-1)!.length + 1}`
}
