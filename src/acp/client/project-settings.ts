import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isInside } from '../../permissions/paths/places.ts'

/**
 * From where in a workspace the programs of vendors load code or authority: hooks, plugins, MCP servers, allowed commands, agents and
 * skills that bring such with them. All of it for all programs: some read files of others. Text for models (`CLAUDE.md`,
 * `AGENTS.md`, `GEMINI.md`) grants nothing and stays.
 */
const FOLDERS: readonly string[] = ['.claude', '.claude-plugin', '.opencode', '.gemini', '.codex', '.agents']
const FILES: readonly string[] = ['.mcp.json', 'opencode.json', 'opencode.jsonc']

/**
 * What a vendor's program does not see of the workspace. Programs also look in the folders above, up to the root of the repository;
 * what is there is not the user's own either.
 */
export function projectSettings(
  root: string,
  home: string | undefined,
  more: readonly string[] = [],
): { path: string; isFolder: boolean }[] {
  const named = (folder: string) => [
    ...FOLDERS.map((name) => ({ path: join(folder, name), isFolder: true })),
    ...[...FILES, ...more].map((name) => ({ path: join(folder, name), isFolder: false })),
  ]
  // Its own home is mounted over that of the user, so nothing of that is seen.
  const above = foldersAbove(root).filter((folder) => home === undefined || !isInside(home, folder))
  return [...named(root), ...above.flatMap(named).filter(({ path }) => existsSync(path))]
}

function foldersAbove(path: string): string[] {
  const above = dirname(path)
  return above === path ? [] : [above, ...foldersAbove(above)]
}
