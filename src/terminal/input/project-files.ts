import { type Dirent, readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import ignore, { type Ignore } from 'ignore'
import { harmlessText } from '../drawing/drawn.ts'

/** A completion of more files helps no one; the walk ends there. */
const MAX_FILES = 5000
const MAX_FOLDERS = 2000
const NEVER: readonly string[] = ['.git', '.teams', '.tasks', 'node_modules']

/** The files below a folder that git does not ignore, level by level. Links are not followed. */
export async function projectFiles(root: string, signal: AbortSignal): Promise<string[]> {
  const files: string[] = []
  const queue: { readonly folder: string; readonly rules: readonly Rules[] }[] = [{ folder: '', rules: [] }]
  for (let i = 0; i < queue.length && i < MAX_FOLDERS && files.length < MAX_FILES && !signal.aborted; i++) {
    const { folder, rules } = queue[i]!
    const own = rulesOf(root, folder)
    const all = own ? [...rules, own] : rules
    for (const entry of await entriesOf(join(root, folder))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (NEVER.includes(entry.name) || !isPlain(entry.name)) continue
      if (isIgnored(all, entry.isDirectory() ? `${path}/` : path)) continue
      if (entry.isDirectory()) queue.push({ folder: path, rules: all })
      else if (entry.isFile()) files.push(path)
    }
  }
  return files.slice(0, MAX_FILES)
}

interface Rules {
  /** Patterns are relative to the folder that holds the file. */
  readonly folder: string
  readonly ignore: Ignore
}

function rulesOf(root: string, folder: string): Rules | undefined {
  try {
    return { folder, ignore: ignore().add(readFileSync(join(root, folder, '.gitignore'), 'utf8')) }
  } catch {
    // Most folders have none.
    return undefined
  }
}

function isIgnored(rules: readonly Rules[], path: string): boolean {
  return rules.some(({ folder, ignore }) => ignore.ignores(folder === '' ? path : path.slice(folder.length + 1)))
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    // Gone meanwhile, or not readable by the user.
    return []
  }
}

/** A name that cannot be drawn as it is cannot be typed either. */
function isPlain(name: string): boolean {
  return harmlessText(name) === name && !/\s/.test(name)
}
