import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { isInside } from '../permissions/paths/places.ts'
import { isTrusted } from '../permissions/trust/folder-trust.ts'
import { userFolder } from '../permissions/trust/private-folders.ts'
import type { AgentType } from '../tools/subagents/agent-type.ts'
import { BUILT_IN } from '../tools/subagents/built-in-types.ts'
import { type AgentFolder, collect, readAgentTypes } from '../tools/subagents/read-agent-types.ts'
import type { Workspace } from '../workspace.ts'

export interface AgentTypesPlace {
  readonly workspace: Workspace
  /** The workspace's folder as it really is. */
  readonly root: string
  /** Further folders in which agents may write. */
  readonly folders: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly warn: (message: string) => void
  /** Types that the caller names. */
  readonly given?: readonly AgentType[] | undefined
}

/**
 * The types of agents a lead may start: the built-in ones, those that the caller gives, those of the project where the user
 * trusts it, and those of the user. A name is taken by the first of them.
 */
export function agentTypesOf(place: AgentTypesPlace): readonly AgentType[] {
  const { given = [] } = place
  const isGiven = ({ name }: AgentType) => given.some((one) => one.name.toLowerCase() === name.toLowerCase())
  return [...BUILT_IN, ...given, ...typesInFiles(place).filter((type) => !BUILT_IN.includes(type) && !isGiven(type))]
}

function typesInFiles({ workspace, root, folders, env, warn }: AgentTypesPlace): readonly AgentType[] {
  const project = readAgentTypes(workspace.workspace)
  const isThere = project.types.length > BUILT_IN.length || project.problems.length > 0
  const counts = isThere && isTrusted(workspace)
  if (isThere && !counts)
    warn(`The agent types of this project are not loaded until you trust the project: deskmates trust`)
  const all = collect(counts ? project.types : BUILT_IN, userFolders([root, ...folders], env))
  for (const problem of [...(counts ? project.problems : []), ...all.problems]) warn(problem)
  return all.types
}

/** A folder that agents may write to is not the user's own: it counts as the project's, which needs trust. */
function userFolders(written: readonly string[], env: AgentTypesPlace['env']): AgentFolder[] {
  const folders = [{ path: join(userFolder(env), 'agents'), shown: '~/.config/deskmates/agents' }]
  if (env.HOME) folders.unshift({ path: join(env.HOME, '.claude', 'agents'), shown: '~/.claude/agents' })
  return folders.filter(
    ({ path }) => existsSync(path) && !written.some((folder) => isInside(folder, realpathSync(path))),
  )
}
