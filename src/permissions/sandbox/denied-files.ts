import { join } from 'node:path'
import { entriesIn } from '../paths/safe-reads.ts'

/** Folders that are not searched: too large, or protected as a whole. */
const PASSED_BY = new Set(['.git', 'node_modules', '.teams', '.tasks'])
const MAX_ENTRIES = 20_000

/**
 * The files and folders that rules deny, so that no program opens by itself what it may not be told to open. Links are
 * not followed: what they lead to is there under its own name. Stops at a size no project should have.
 */
export function deniedFiles(
  folders: readonly string[],
  forbids: (kind: 'read' | 'write', path: string) => boolean,
): { hidden: string[]; kept: string[] } {
  const [hidden, kept]: [string[], string[]] = [[], []]
  const left = [...folders]
  for (let seen = 0; left.length > 0 && seen < MAX_ENTRIES; ) {
    const folder = left.pop()!
    for (const entry of entriesIn(folder)) {
      seen++
      const path = join(folder, entry.name)
      if (entry.isSymbolicLink()) continue
      if (forbids('read', path)) hidden.push(path)
      else if (forbids('write', path)) kept.push(path)
      else if (entry.isDirectory() && !PASSED_BY.has(entry.name)) left.push(path)
    }
  }
  return { hidden, kept }
}
