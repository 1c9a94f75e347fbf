import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { z } from 'zod'
import { isInside } from '../../permissions/paths/places.ts'
import { openSpot } from '../../permissions/paths/spot.ts'
import { parseFrontMatter } from '../front-matter.ts'
import { readText } from '../paths/content.ts'

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
    return { text: readText(spot, path) }
  } catch (error) {
    return { problem: `it cannot be read (${(error as Error).message}).` }
  }
}

/** Instructions a lead may load: the system prompt has name and description, the Skill tool returns the body. */
export interface Skill {
  readonly name: string
  readonly description: string
  readonly tags: readonly string[]
  readonly body: string
  /** The path of its file, as shown to people. */
  readonly path: string
  /** Files that belong to it, relative to its folder. */
  readonly resources: readonly string[]
  /** The text of one of them, or what is wrong with it. */
  read(resource: string): { readonly text: string } | { readonly problem: string }
}

const Front = z.looseObject({
  name: z
    .string()
    .trim()
    .regex(/^[A-Za-z0-9][\w:.-]{0,63}$/, 'is 1 to 64 letters, digits, - _ : or .'),
  description: z.string().trim().min(1),
  tags: z.union([z.string(), z.array(z.string())]).nullish(),
})

/** `SKILL.md`: YAML between two lines of `---`, then the body. Read as data: nothing in it is executed. A text is what is wrong. */
function parseSkill(text: string): Pick<Skill, 'name' | 'description' | 'tags' | 'body'> | string {
  const [, front, body = ''] = /^\ufeff?---\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n(.*))?$/s.exec(text) ?? []
  if (front === undefined) return 'it does not begin with YAML between two lines of ---.'
  let value: unknown
  try {
    value = parseFrontMatter(front)
  } catch (error) {
    return `its YAML cannot be read (${(error as Error).message.split('\n')[0]}).`
  }
  const said = Front.safeParse(value)
  if (!said.success) {
    const issues = said.error.issues.map(({ path, message }) => `${path.join('.') || 'YAML'}: ${message}`)
    return `${issues.join('; ')}.`
  }
  if (body.trim() === '') return 'it has no body below the second ---.'
  const { name, description, tags } = said.data
  const list = typeof tags === 'string' ? tags.split(',') : (tags ?? [])
  return { name, description, tags: list.map((tag) => tag.trim()).filter(Boolean), body: body.trim() }
}

/** Files the body names by a relative path: in a link, or in one of the folders a skill may have. */
function namedFiles(body: string): string[] {
  const prose = body.replace(/^(```|~~~).*?^\1/gms, '')
  const links = [...prose.matchAll(/\]\((?!\w+:|#|\/)([^)\s#]+)/g)].map(([, path]) => path!)
  const bare = [...prose.matchAll(/(?<![\w/.-])(?:\.\/)?((?:scripts|references|assets)\/[\w./-]*\w)/g)].map(
    ([, path]) => path!,
  )
  return [...new Set([...links, ...bare].map((path) => path.replace(/^\.\//, '')))]
}
