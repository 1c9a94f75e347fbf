import { homedir } from 'node:os'
import { join } from 'node:path'
import { entriesIn, readPlainFile, statusOf } from '../../../permissions/paths/safe-reads.ts'
import { Misused } from '../../program/failure.ts'

/** Where Claude Code keeps its files. We only read there: no lock, no mark, no file of ours. */
export function claudeFolder(env: Readonly<Record<string, string | undefined>>): string {
  return env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), '.claude')
}

/** The name of a team of Claude Code, which is the name of a folder and no path. */
export function claudeName(text: string): string {
  if (/^[^/\\\p{Cc}]{1,255}$/u.test(text) && text !== '.' && text !== '..') return text
  throw new Misused(`${JSON.stringify(text.slice(0, 80))} is not the name of a team. See: deskmates team list --claude`)
}

const MAX_FILE_BYTES = 16 * 1024 * 1024
const MAX_FILES = 10_000

/** The value in a JSON file; undefined if it cannot be used, and `left` then says why. Never through a link. */
export function readJsonFile(path: string, left: string[]): unknown {
  const bytes = readPlainFile(path, MAX_FILE_BYTES)
  if (bytes === undefined) {
    left.push(`${path}: it is not a file of at most 16 MB that can be read (links are not followed)`)
    return undefined
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    left.push(`${path}: it is not JSON in UTF-8 (${error instanceof Error ? error.message.slice(0, 100) : error})`)
    return undefined
  }
}

/** Names of folders in a folder; links are named in `left`. */
export function foldersIn(folder: string, left: string[]): string[] {
  const entries = entriesIn(folder)
  for (const entry of entries)
    if (entry.isSymbolicLink()) left.push(`${join(folder, entry.name)}: links are not followed`)
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort()
}

/** Paths of the JSON files in a folder; whatever else is there is named in `left`. */
export function jsonFilesIn(folder: string, left: string[]): string[] {
  const status = statusOf(folder)
  if (status === undefined) return []
  if (!status.isDirectory()) {
    left.push(`${folder}: it is not a folder (links are not followed)`)
    return []
  }
  const names = entriesIn(folder).map(({ name }) => name)
  const files = names.filter((name) => name.endsWith('.json')).sort()
  // Its own locks and counters say nothing about the work.
  for (const name of names)
    if (!name.endsWith('.json') && !name.startsWith('.') && !name.endsWith('.lock'))
      left.push(`${join(folder, name)}: it is no JSON file`)
  if (files.length > MAX_FILES) left.push(`${folder}: ${files.length - MAX_FILES} files behind the first ${MAX_FILES}`)
  return files.slice(0, MAX_FILES).map((name) => join(folder, name))
}
