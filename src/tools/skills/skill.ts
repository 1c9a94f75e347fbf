import { z } from 'zod'
import { beginning } from '../../team/wording.ts'
import { defineTool } from '../define-tool.ts'
import type { ToolFactory } from '../own-tool.ts'
import type { Tool } from '../tool.ts'
import type { Skill } from './read-skills.ts'
import prose from './skill.md'

/** Offered only where there are skills. */
export const skill: ToolFactory<'Skill'> = {
  name: 'Skill',
  roles: ['lead'],
  create: ({ skills = [] }) => (skills.length > 0 ? createSkillTool(skills) : undefined),
}

/** The body of a skill as the result of a call, so that the system prompt never changes and stays cached. */
function createSkillTool(skills: readonly Skill[]): Tool {
  return defineTool({
    name: 'Skill',
    description: prose,
    input: z.strictObject({
      skill: z.string().min(1),
      file: z.string().min(1).optional().describe('one of the files that belong to it'),
    }),
    isReadOnly: true,
    // The user has allowed these files already.
    action: () => undefined,
    async run({ skill: wanted, file }, context) {
      const skill = skills.find(({ name }) => name.toLowerCase() === wanted.trim().toLowerCase())
      if (!skill) {
        const names = skills.map(({ name }) => name).join(', ') || 'none'
        return { text: `Error: Unknown skill '${wanted}'. Available: ${names}`, isError: true }
      }
      const { name, body, resources } = skill
      if (file !== undefined) {
        const found = resources.includes(file)
          ? skill.read(file)
          : { problem: `it has no such file. Its files: ${resources.join(', ') || 'none'}` }
        if ('problem' in found) return { text: `${name}: ${file}: ${found.problem}`, isError: true }
        return context.outputs.fit(found.text, 'skill')
      }
      const list = resources.map((path) => `- ${path}`).join('\n')
      const files =
        list && `\n\nIts files (load one with Skill {"skill": "${name}", "file": …} when you need it):\n${list}`
      return `<skill-loaded name="${name}">\n${body}${files}\n</skill-loaded>\n\nFollow these instructions for what you were asked to do.`
    },
  })
}

const MAX_DESCRIPTION_CHARACTERS = 300
const MAX_LIST_CHARACTERS = 8000

/** Names and descriptions for the system prompt; skills that do not fit are counted, and can still be loaded by name. */
export function skillList(skills: readonly Skill[]): string {
  if (skills.length === 0) return '(no skills available)'
  const lines: string[] = []
  let length = 0
  for (const { name, description, tags } of skills) {
    const about = beginning(description.replace(/\s+/g, ' '), MAX_DESCRIPTION_CHARACTERS)
    const line = `- ${name}: ${about}${tags.length > 0 ? ` [${tags.join(', ')}]` : ''}`
    length += line.length + 1
    if (length > MAX_LIST_CHARACTERS)
      return [...lines, `- and ${skills.length - lines.length} more, which do not fit here`].join('\n')
    lines.push(line)
  }
  return lines.join('\n')
}
