import { closeSync, constants, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { openAt, openSpot } from '../../permissions/paths/spot.ts'
import { readWhole } from '../paths/content.ts'
import { isInside } from '../paths/territory.ts'
import { type AgentType, BUILT_IN } from './agent-type.ts'
import { parseAgentType } from './parse-agent-type.ts'

export interface AgentTypes {
  /** The built-in ones first. */
  readonly types: readonly AgentType[]
  /** What could not be used, with file and reason, for a person to read. */
  readonly problems: readonly string[]
}

/**
 * The agent types of a project, from `agents/*.md` and `.claude/agents/*.md`. They say what agents may use: read them
 * only where the user trusts the folder.
 */
export function readAgentTypes(root: string): AgentTypes {
  const types = [...BUILT_IN]
  const problems: string[] = []
  for (const folder of ['agents', '.claude/agents']) {
    for (const name of markdownIn(join(root, folder))) {
      const path = `${folder}/${name}`
      const parsed = parseAgentType(readInside(join(root, path), root))
      problems.push(...parsed.problems.map((problem) => `${path}: ${problem}`))
      if (!parsed.type) continue
      const same = types.find((type) => type.name.toLowerCase() === parsed.type?.name.toLowerCase())
      if (same) problems.push(`${path}: there is an agent type ${same.name} already. Give this one another name.`)
      else types.push(parsed.type)
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

/** Undefined for what is no file inside of the root. */
function readInside(path: string, root: string): string | undefined {
  try {
    using spot = openSpot(path)
    if (!spot.stats.isFile() || !isInside(root, spot.real)) return undefined
    const fd = openAt(spot, constants.O_RDONLY)
    try {
      return readWhole(fd, path).toString('utf8')
    } finally {
      closeSync(fd)
    }
  } catch {
    return undefined
  }
}
