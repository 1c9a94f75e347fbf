import { parse } from 'yaml'
import { z } from 'zod'
import { isName, nameRule } from '../../team/name.ts'
import { namesFor } from '../roles.ts'
import type { AgentType } from './agent-type.ts'

export interface ParsedAgentType {
  readonly type: AgentType | undefined
  readonly problems: readonly string[]
}

/** A Markdown file with YAML between two lines of `---`, then the prompt. Read as data: nothing in it is executed. */
export function parseAgentType(text: string | undefined): ParsedAgentType {
  if (text === undefined) return broken('it cannot be read as a file of this project.')
  const [, front, prompt = ''] = /^\ufeff?---\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n(.*))?$/s.exec(text) ?? []
  if (front === undefined) return broken('it does not begin with YAML between two lines of ---.')
  const said = Front.safeParse(readYaml(front))
  if (!said.success) {
    const issues = said.error.issues.map(({ path, message }) => `${path.join('.') || 'YAML'}: ${message}`)
    return broken(`${issues.join('; ')}.`)
  }
  const { name, description, model } = said.data
  if (!isName(name)) return broken(nameRule(name))
  if (prompt.trim() === '') return broken('it has no prompt below the second ---.')
  const { tools, unknown } = toolsOf(said.data.tools)
  return {
    type: {
      name,
      description: description.trim(),
      prompt: prompt.trim(),
      tools,
      isReadOnly: !tools.includes('write_file') && !tools.includes('edit_file'),
      model: model === undefined || model === 'inherit' ? undefined : model,
    },
    problems: unknown.length === 0 ? [] : [`no subagent has the tools ${unknown.join(', ')}; it works without them.`],
  }
}

const Front = z.looseObject({
  name: z.string(),
  description: z.string().min(1),
  tools: z.union([z.string(), z.array(z.string())]).nullish(),
  model: z.string().min(1).optional(),
})

function broken(problem: string): ParsedAgentType {
  return { type: undefined, problems: [problem] }
}

function readYaml(text: string): unknown {
  try {
    return parse(text, { logLevel: 'error' })
  } catch {
    return undefined
  }
}

/** `Read, Grep` or a list of such names, ours or those of other programs. Left out: all a subagent can have. */
function toolsOf(said: string | readonly string[] | null | undefined): { tools: string[]; unknown: string[] } {
  const all = namesFor('code')
  if (said === undefined || said === null) return { tools: all, unknown: [] }
  const names = (typeof said === 'string' ? said.split(',') : said).map((name) => name.trim()).filter(Boolean)
  const ours = names.map((name) => ({ name, tool: THEIRS.get(name.toLowerCase()) ?? name }))
  return {
    tools: all.filter((tool) => ours.some((one) => one.tool === tool)),
    unknown: ours.filter(({ tool }) => !all.includes(tool)).map(({ name }) => name),
  }
}

const THEIRS = new Map([
  ['bash', 'bash'],
  ['read', 'read_file'],
  ['write', 'write_file'],
  ['edit', 'edit_file'],
  ['multiedit', 'edit_file'],
  ['glob', 'glob'],
  ['ls', 'glob'],
  ['grep', 'grep'],
])
