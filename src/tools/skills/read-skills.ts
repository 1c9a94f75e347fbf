import { closeSync, constants, existsSync, readdirSync, realpathSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { isInside } from '../../permissions/paths/places.ts'
import { openAt, openSpot } from '../../permissions/paths/spot.ts'
import { readWhole } from '../paths/content.ts'
import type { Skill } from './loaded-skill.ts'
import { namedFiles, parseSkill } from './parse-skill.ts'

export interface SkillsPlace {
  /** The project's folder, or the user's home. */
  readonly root: string
  /** How paths begin when they are shown: '' for the project, `~/` for home. */
  readonly shown: string
}

export interface ReadSkills {
  readonly skills: readonly Skill[]
  /** What could not be used, or is missing, with its path. */
  readonly problems: readonly string[]
}

const FOLDERS: readonly string[] = ['skills', '.claude/skills', '.agents/skills']
const RESOURCES: readonly string[] = ['scripts', 'references', 'assets']
const MAX_SKILLS = 200
const MAX_RESOURCES = 50
const MAX_SKILL_BYTES = 256 * 1024

/** The skills below a folder: `skills/<name>/SKILL.md`, and the same in `.claude` and `.agents`. */
export function readSkills({ root, shown }: SkillsPlace): ReadSkills {
  const skills: Skill[] = []
  const problems: string[] = []
  for (const folder of FOLDERS) {
    for (const name of namesIn(join(root, folder))) {
      const place = join(folder, name)
      const path = `${shown}${place}/SKILL.md`
      if (!existsSync(join(root, place, 'SKILL.md'))) continue
      if (skills.length >= MAX_SKILLS) {
        problems.push(`${path}: there are more than ${MAX_SKILLS} skills; this and the rest are left out.`)
        return { skills, problems }
      }
      const home = join(root, place)
      const file = readInside(join(home, 'SKILL.md'), root)
      const parsed = 'text' in file ? parseSkill(file.text) : file.problem
      if (typeof parsed === 'string') {
        problems.push(`${path}: ${parsed} The skill is left out until that is put right.`)
        continue
      }
      const same = skills.find((skill) => skill.name.toLowerCase() === parsed.name.toLowerCase())
      if (same) {
        problems.push(`${path}: ${same.path} is called ${same.name} already. Give this one another name.`)
        continue
      }
      for (const named of namedFiles(parsed.body))
        if (!existsSync(join(root, place, named))) problems.push(`${path}: it names ${named}, which is not there.`)
      const resources = RESOURCES.flatMap((sub) => filesIn(join(home, sub)))
        .map((found) => relative(home, found).split(sep).join('/'))
        .slice(0, MAX_RESOURCES)
      skills.push({ ...parsed, path, resources, read: (resource) => readInside(join(home, resource), root) })
    }
  }
  return { skills, problems }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    // Most folders have none.
    return []
  }
}

function filesIn(folder: string, depth = 3): string[] {
  if (depth === 0) return []
  try {
    return readdirSync(folder, { withFileTypes: true })
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .slice(0, MAX_RESOURCES)
      .flatMap((entry) => {
        const path = join(folder, entry.name)
        return entry.isDirectory() ? filesIn(path, depth - 1) : entry.isFile() ? [path] : []
      })
  } catch {
    return []
  }
}

function readInside(path: string, root: string): { readonly text: string } | { readonly problem: string } {
  try {
    using spot = openSpot(path)
    if (!spot.stats.isFile()) return { problem: 'it is no file.' }
    if (!isInside(realpathSync(root), spot.real)) return { problem: 'it is a link that leads out of the folder.' }
    if (spot.stats.size > MAX_SKILL_BYTES)
      return { problem: `it has ${spot.stats.size} bytes; ${MAX_SKILL_BYTES} are the most.` }
    const fd = openAt(spot, constants.O_RDONLY)
    try {
      return { text: readWhole(fd, path).toString('utf8') }
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    return { problem: `it cannot be read (${(error as Error).message}).` }
  }
}
