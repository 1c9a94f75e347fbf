import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isInside } from '../../permissions/paths/places.ts'
import { openSpot } from '../../permissions/paths/spot.ts'
import { readText } from '../paths/content.ts'
import type { AgentType } from './agent-type.ts'
import { BUILT_IN } from './built-in-types.ts'
import { parseAgentType } from './parse-agent-type.ts'

export interface AgentTypes {
  /** The built-in ones first. */
  readonly types: readonly AgentType[]
  /** What could not be used, with file and reason, for a person to read. */
  readonly problems: readonly string[]
}

/**
 * The agent types of a project, from `agents/*.md` and `.claude/agents/*.md`. They decide what agents may use: read
 * them only where the user trusts the folder.
 */
export function readAgentTypes(root: string): AgentTypes {
  return collect(
    BUILT_IN,
    ['agents', '.claude/agents'].map((folder) => ({ path: join(root, folder), shown: folder, inside: root })),
  )
}

/** An agent folder of the user; `inside`: what links may not lead out of. */
export interface AgentFolder {
  readonly path: string
  readonly shown: string
  readonly inside?: string
}

/** Adds the types of these folders to those that are there already, which keep their names. */
export function collect(there: readonly AgentType[], folders: readonly AgentFolder[]): AgentTypes {
  const types = [...there]
  const problems: string[] = []
  for (const { path, shown, inside } of folders) {
    for (const name of markdownIn(path)) {
      const parsed = parseAgentType(readInside(join(path, name), inside))
      problems.push(...parsed.problems.map((problem) => `${shown}/${name}: ${problem}`))
      if (!parsed.type) continue
      const same = types.find((type) => type.name.toLowerCase() === parsed.type?.name.toLowerCase())
      if (same)
        problems.push(`${shown}/${name}: there is an agent type ${same.name} already. Give this one another name.`)
      else types.push(parsed.type.acp && inside !== undefined ? { ...parsed.type, isProject: true } : parsed.type)
    }
  }
  return { types, problems }
}

function markdownIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.md'))
      .sort()
  } catch {
    // Most projects have no such folder.
    return []
  }
}

/** Undefined for what is no file, or outside of the root. */
function readInside(path: string, root: string | undefined): string | undefined {
  try {
    using spot = openSpot(path)
    if (!spot.stats.isFile() || (root !== undefined && !isInside(root, spot.real))) return undefined
    return readText(spot, path)
  } catch {
    return undefined
  }
}
