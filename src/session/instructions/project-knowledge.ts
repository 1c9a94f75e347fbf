import { existsSync, realpathSync } from 'node:fs'
import { folderHash } from '../../permissions/trust/folder-hash.ts'
import { isTrusted } from '../../permissions/trust/folder-trust.ts'
import { readSkills, type Skill } from '../../tools/skills/read-skills.ts'
import { skillList } from '../../tools/skills/skill.ts'
import type { Workspace } from '../../workspace.ts'
import { type InstructionFile, openAcceptedInstructions } from './accepted-instructions.ts'
import { instructionsOf } from './instructions.ts'
import { changedSince, watchedFiles } from './watched-files.ts'

export interface KnowledgePlace {
  readonly workspace: Workspace
  readonly root: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly warn: (message: string) => void
  /** Whether a rule of the user denies reading this file. */
  readonly forbids?: (path: string) => boolean
}

/** What people wrote for agents: instructions and the list of skills for the system prompt, and the tool that loads them. */
export interface Knowledge {
  /** For every agent. */
  readonly instructions: string | undefined
  /** The names and descriptions of the skills, for agents that have the Skill tool. */
  readonly skillList: string | undefined
  readonly skills: readonly Skill[]
  /** While a session runs, instructions that change wait for a person; at its end they are named. */
  begin(session: string): void
  end(session: string): void
}

export function knowledgeOf({ workspace, root, cwd, env, warn, forbids }: KnowledgePlace): Knowledge {
  const home = env.HOME && existsSync(env.HOME) ? realpathSync(env.HOME) : undefined
  const skills = skillsOf(workspace, root, home, warn)
  const list = `Skills (load one with the Skill tool before you do such work):\n${skillList(skills)}`
  const accepted = openAcceptedInstructions(workspace.trust.state, root)
  const loaded: InstructionFile[] = []
  /** Where everything is trusted nothing has to be remembered. */
  function quietly(write: () => void): void {
    if (workspace.trust.everything) return
    try {
      write()
    } catch (error) {
      warn(`Changes of instructions cannot be noticed: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const instructions =
    instructionsOf({
      ...{ cwd, root, home, warn, isTrusted: isTrusted(workspace) },
      ...(forbids && { forbids }),
      isAccepted(file) {
        const counts = workspace.trust.everything || accepted.isAccepted(file)
        if (counts) loaded.push(file)
        return counts
      },
    }) || undefined
  quietly(() => accepted.accept(loaded))
  const before = watchedFiles(root, cwd, loaded)
  return {
    instructions,
    skillList: skills.length > 0 ? list : undefined,
    skills,
    begin: (session) => quietly(() => accepted.begin(session)),
    end(session) {
      quietly(() => accepted.end(session))
      const changed = changedSince(before, watchedFiles(root, cwd, loaded))
      for (const path of changed)
        warn(
          `${path} was changed during this session, perhaps by an agent, and tells agents or tools what to do. Read it. ` +
            'Instructions count again when you accept them: deskmates trust',
        )
    },
  }
}

/** Skills of a project count only where the user trusts it; they come first, because they fit the project. */
function skillsOf(
  { workspace, trust }: Workspace,
  root: string,
  home: string | undefined,
  warn: (message: string) => void,
) {
  const project = readSkills({ root, shown: '' })
  const isThere = project.skills.length > 0 || project.problems.length > 0
  const isTrusted = isThere && (trust.everything || trust.isFolderTrusted(workspace, folderHash(workspace)))
  if (isThere && !isTrusted)
    warn('The skills of this project are not loaded until you trust the project: deskmates trust')
  const own =
    home === undefined || home === root ? { skills: [], problems: [] } : readSkills({ root: home, shown: '~/' })
  const counted = isTrusted ? project : { skills: [], problems: [] }
  for (const problem of [...counted.problems, ...own.problems]) warn(problem)
  const names = new Set(counted.skills.map(({ name }) => name.toLowerCase()))
  return [...counted.skills, ...own.skills.filter(({ name }) => !names.has(name.toLowerCase()))]
}

/** A person accepts the instructions of this folder as they are now, seen from `cwd`; what they are. */
export function acceptInstructions({ workspace, root, cwd, env }: Omit<KnowledgePlace, 'warn' | 'forbids'>): string[] {
  const home = env.HOME && existsSync(env.HOME) ? realpathSync(env.HOME) : undefined
  const files: InstructionFile[] = []
  instructionsOf({ cwd, root, home, warn: () => {}, isAccepted: (file) => files.push(file) > 0 })
  openAcceptedInstructions(workspace.trust.state, root).accept(files)
  return files.map(({ path }) => path)
}
