import { lstatSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { isInside } from '../../permissions/paths/places.ts'
import { hashOf, type InstructionFile } from './accepted-instructions.ts'

/** Larger files are compared by size and time. */
const MAX_HASHED_BYTES = 1024 * 1024
const NAMES = [
  'AGENTS.md',
  'CLAUDE.md',
  'CLAUDE.local.md',
  'GEMINI.md',
  '.mcp.json',
  '.envrc',
  '.cursorrules',
  '.windsurfrules',
]
const OF_THE_ROOT = [
  ...['.vscode/tasks.json', '.vscode/settings.json', '.vscode/launch.json', '.cursor/mcp.json', '.windsurf/mcp.json'],
  ...['.github/copilot-instructions.md', '.pre-commit-config.yaml', 'lefthook.yml'],
]

/** The state of every file that instructs agents or tools, from the working folder up to the root, and of the loaded ones. */
export function watchedFiles(
  root: string,
  cwd: string,
  loaded: readonly InstructionFile[],
): ReadonlyMap<string, string> {
  const paths = new Set(loaded.map(({ path }) => path))
  for (let folder = isInside(root, cwd) ? cwd : root; ; folder = dirname(folder)) {
    for (const name of NAMES) paths.add(relative(root, join(folder, name)))
    if (folder === root || !isInside(root, dirname(folder))) break
  }
  for (const path of OF_THE_ROOT) paths.add(path)
  return new Map([...paths].map((path) => [path, stateOf(join(root, path))]))
}

export function changedSince(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): string[] {
  return [...now].filter(([path, state]) => state !== '' && (before.get(path) ?? '') !== state).map(([path]) => path)
}

function stateOf(path: string): string {
  try {
    const { size, mtimeMs, mode } = lstatSync(path)
    const isRegular = (mode & 0o170000) === 0o100000
    return isRegular && size <= MAX_HASHED_BYTES ? hashOf(readFileSync(path)) : `${mode} ${size} ${mtimeMs}`
  } catch {
    return ''
  }
}
