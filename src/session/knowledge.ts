import { existsSync, realpathSync } from 'node:fs'
import type { Tool } from '../ports/tool.ts'
import { folderHash } from '../stores/files/folder-hash.ts'
import { createSkillTool, skillList } from '../tools/skill.ts'
import { readSkills } from '../tools/skills/read-skills.ts'
import type { Workspace } from '../workspace.ts'
import { instructionsOf } from './instructions.ts'

export interface KnowledgePlace {
  readonly workspace: Workspace
  readonly root: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly warn: (message: string) => void
}

/** What people wrote for agents: instructions and the list of skills for the system prompt, and the tool that loads them. */
export interface Knowledge {
  /** For everybody. */
  readonly instructions: string | undefined
  /** For whoever has the tool. */
  readonly skills: string | undefined
  readonly tools: readonly Tool[]
}

export function knowledgeOf({ workspace, root, cwd, env, warn }: KnowledgePlace): Knowledge {
  const home = env.HOME && existsSync(env.HOME) ? realpathSync(env.HOME) : undefined
  const skills = skillsOf(workspace, root, home, warn)
  const list = `Skills (load one with the Skill tool before you do such work):\n${skillList(skills)}`
  const instructions = instructionsOf({ cwd, root, home, warn }) || undefined
  return {
    instructions,
    skills: skills.length > 0 ? list : undefined,
    tools: skills.length > 0 ? [createSkillTool(skills)] : [],
  }
}

/** A project's count only where somebody trusts it; they come first, because they know the project. */
function skillsOf(
  { workspace, trust }: Workspace,
  root: string,
  home: string | undefined,
  warn: (message: string) => void,
) {
  const project = readSkills({ root, shown: '' })
  const isThere = project.skills.length > 0 || project.problems.length > 0
  const isTrusted = isThere && (trust.everything || trust.isFolderTrusted(workspace, folderHash(workspace)))
  if (isThere && !isTrusted) warn('The skills of this project wait until you trust it: deskmates trust')
  const own =
    home === undefined || home === root ? { skills: [], problems: [] } : readSkills({ root: home, shown: '~/' })
  const counted = isTrusted ? project : { skills: [], problems: [] }
  for (const problem of [...counted.problems, ...own.problems]) warn(problem)
  const names = new Set(counted.skills.map(({ name }) => name.toLowerCase()))
  return [...counted.skills, ...own.skills.filter(({ name }) => !names.has(name.toLowerCase()))]
}
