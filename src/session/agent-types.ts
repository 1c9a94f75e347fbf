import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { isInside } from '../permissions/paths/places.ts'
import { isTrusted } from '../permissions/trust/folder-trust.ts'
import { userFolder } from '../permissions/trust/private-folders.ts'
import type { LoadedSettings } from '../settings/load-settings.ts'
import type { Settings } from '../settings/settings.ts'
import { isName } from '../team/name.ts'
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
  /** Types of the settings, or of the caller. */
  readonly given?: readonly AgentType[] | undefined
}

/**
 * The types of agents a lead may start: the built-in ones, those that the caller gives, those of the project where the user
 * trusts it, and those of the user. A name is taken by the first of them.
 */
export function agentTypesOf(place: AgentTypesPlace): readonly AgentType[] {
  const { given = [] } = place
  // No file of a project takes the name of one that the user gave.
  const own = given.filter(({ isProject, name }, i) => !isProject && given.findIndex((one) => one.name === name) === i)
  const inFiles = typesInFiles(place).filter(
    (type) => !BUILT_IN.includes(type) && !own.some((one) => isSame(one, type)),
  )
  const first = [...BUILT_IN, ...own, ...inFiles]
  return [...first, ...given.filter((type) => type.isProject && !first.some((one) => isSame(one, type)))]
}

function isSame(one: AgentType, other: AgentType): boolean {
  return one.name.toLowerCase() === other.name.toLowerCase()
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

/** The agent types of the settings; those that a file of the project describes are marked. */
export function settingsAgentTypes({ origins }: Pick<LoadedSettings, 'origins'>): readonly AgentType[] {
  const found = origins.flatMap(({ key, value, source }): AgentType[] => {
    if (!key.startsWith('agents.')) return []
    const { description, prompt, acp } = value as NonNullable<Settings['agents']>[string]
    const name = key.slice('agents.'.length)
    const title = typeof acp === 'string' ? acp : (acp.preset ?? acp.command ?? name)
    return [
      {
        ...{ name, acp, tools: [], isReadOnly: false, model: undefined },
        description: description ?? `another vendor's agent (${title}); only as a teammate, with a name`,
        prompt: prompt ?? '',
        isProject: source === 'local' || source === 'project',
      },
    ]
  })
  const own = found.filter(({ isProject }) => !isProject)
  return [...own, ...found.filter(({ isProject }) => isProject)].filter(
    ({ name }, i, all) => isName(name) && all.findIndex((other) => other.name === name) === i,
  )
}

/** A folder that agents may write to is not the user's own: it counts as the project's, which needs trust. */
function userFolders(written: readonly string[], env: AgentTypesPlace['env']): AgentFolder[] {
  const folders = [{ path: join(userFolder(env), 'agents'), shown: '~/.config/deskmates/agents' }]
  if (env.HOME) folders.unshift({ path: join(env.HOME, '.claude', 'agents'), shown: '~/.claude/agents' })
  return folders.filter(
    ({ path }) => existsSync(path) && !written.some((folder) => isInside(folder, realpathSync(path))),
  )
}
