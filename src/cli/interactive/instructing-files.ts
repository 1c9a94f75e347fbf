import { existsSync } from 'node:fs'
import { join } from 'node:path'

const NAMES = ['.deskmates', '.claude', '.agents', 'AGENTS.md', 'CLAUDE.md', '.mcp.json', 'deskmates.yaml']

/** Files by which a folder tells agents and programs what to do. */
export function instructingFiles(folder: string): string[] {
  return NAMES.filter((name) => existsSync(join(folder, name)))
}
