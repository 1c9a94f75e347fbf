import { z } from 'zod'
import { MCP } from '../../permissions/rules/rule.ts'
import { isName, nameRule } from '../../team/name.ts'
import { parseFrontMatter } from '../front-matter.ts'
import { namesFor } from '../registry.ts'
import { AcpEntry } from './acp-entry.ts'
import { type AgentType, ALL_SERVER_TOOLS } from './agent-type.ts'

export interface ParsedAgentType {
  readonly type: AgentType | undefined
  readonly problems: readonly string[]
}

/** A Markdown file with YAML between two lines of `---`, then the prompt. Read as data: nothing in it is executed. */
export function parseAgentType(text: string | undefined): ParsedAgentType {
  if (text === undefined) return broken('it cannot be read as a file of this project.')
  const [, front, prompt = ''] = /^\ufeff?---\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n(.*))?$/s.exec(text) ?? []
  if (front === undefined) return broken('it does not begin with YAML between two lines of ---.')
  return agentTypeOf(readYaml(front), prompt, 'below the second ---')
}

/** The type that these values describe; `place` says where its prompt stands. */
export function agentTypeOf(front: unknown, prompt: string, place: string): ParsedAgentType {
  const said = Front.safeParse(front)
  if (!said.success) {
    const issues = said.error.issues.map(({ path, message }) => `${path.join('.') || 'YAML'}: ${message}`)
    return broken(`${issues.join('; ')}.`)
  }
  const { name, description, model, tools: _, disallowedTools, permissionMode, maxTurns, acp, ...others } = said.data
  if (!isName(name)) return broken(nameRule(name))
  if (prompt.trim() === '') return broken(`it has no prompt ${place}.`)
  const { tools, withoutTools, unknown } = toolsOf(said.data.tools, disallowedTools, permissionMode === 'plan')
  const turns = turnsOf(maxTurns)
  return {
    type: {
      name,
      description: description.trim(),
      prompt: prompt.trim(),
      tools,
      ...(withoutTools.length > 0 && { withoutTools }),
      isReadOnly: !tools.includes('write_file') && !tools.includes('edit_file'),
      model: model === undefined || model === 'inherit' ? undefined : model,
      ...(turns !== undefined && { maxTurns: turns }),
      ...(acp !== undefined && { acp }),
    },
    problems: [
      ...(unknown.length === 0 ? [] : [`no subagent has the tools ${unknown.join(', ')}; it works without them.`]),
      ...(isKept(permissionMode) ? [] : [NO_MORE_RIGHTS(permissionMode)]),
      ...(maxTurns === undefined || turns !== undefined
        ? []
        : ['maxTurns is not a number of turns; it has no effect.']),
      ...(Object.keys(others).length === 0 ? [] : [noEffect(Object.keys(others))]),
    ],
  }
}

/** Keys that no line here reads are kept, to be named. */
const Front = z.looseObject({
  name: z.string(),
  description: z.string().min(1),
  tools: z.union([z.string(), z.array(z.string())]).nullish(),
  disallowedTools: z.union([z.string(), z.array(z.string())]).nullish(),
  model: z.string().min(1).optional(),
  permissionMode: z.string().optional(),
  maxTurns: z.unknown().optional(),
  acp: AcpEntry.optional(),
})

/** A file may narrow what its agent does, and never widen it: rights come from the session. */
function isKept(permissionMode: string | undefined): permissionMode is 'default' | 'plan' | undefined {
  return permissionMode === undefined || permissionMode === 'default' || permissionMode === 'plan'
}

const NO_MORE_RIGHTS = (mode: string) =>
  `permissionMode ${mode} has no effect: an agent has the rights of its session (--permission-mode).`

function noEffect(keys: readonly string[]): string {
  return `${keys.join(', ')} ${keys.length === 1 ? 'has' : 'have'} no effect here.`
}

function turnsOf(said: unknown): number | undefined {
  const turns = typeof said === 'string' && /^\d{1,9}$/.test(said.trim()) ? Number(said) : said
  return Number.isSafeInteger(turns) && (turns as number) > 0 ? (turns as number) : undefined
}

function broken(problem: string): ParsedAgentType {
  return { type: undefined, problems: [problem] }
}

function readYaml(text: string): unknown {
  try {
    return parseFrontMatter(text)
  } catch {
    return undefined
  }
}

type Names = string | readonly string[] | null | undefined

/** All a subagent can have, or those that are named, without those that are taken away. */
function toolsOf(wanted: Names, taken: Names, isReadOnly: boolean): NamedTools {
  const all = namesFor('code')
  const ours = namesOf(wanted)?.filter(({ name }) => name !== '*')
  const isAll = ours === undefined || ours.length < (namesOf(wanted)?.length ?? 0)
  const without = namesOf(taken)?.map(({ tool }) => tool) ?? []
  const tools = isAll ? all : all.filter((tool) => ours.some((one) => one.tool === tool))
  const servers = isAll ? [ALL_SERVER_TOOLS] : ours.map(({ tool }) => tool).filter(isServerTool)
  return {
    tools: [
      ...tools.filter((tool) => !without.includes(tool) && !(isReadOnly && WRITING_TOOLS.includes(tool))),
      ...servers,
    ],
    withoutTools: without.filter(isServerTool),
    unknown: (ours ?? []).filter(({ tool }) => !all.includes(tool) && !isServerTool(tool)).map(({ name }) => name),
  }
}

interface NamedTools {
  readonly tools: string[]
  readonly withoutTools: string[]
  readonly unknown: string[]
}

/** `mcp__github`, `mcp__github__*` or `mcp__github__get_issue`: whether there is one is known when the server runs. */
function isServerTool(name: string): boolean {
  return name.toLowerCase().startsWith(MCP)
}

const WRITING_TOOLS = ['write_file', 'edit_file']

/** `Read, Grep` or a list of such names, ours or those of other programs; undefined where none are named. */
function namesOf(said: Names): { name: string; tool: string }[] | undefined {
  if (said === undefined || said === null) return undefined
  const names = (typeof said === 'string' ? said.split(',') : said).map((name) => name.trim()).filter(Boolean)
  return names.map((name) => ({ name, tool: TOOL_NAMES_ELSEWHERE.get(name.toLowerCase()) ?? name }))
}

const TOOL_NAMES_ELSEWHERE = new Map([
  ['bash', 'bash'],
  ['read', 'read_file'],
  ['write', 'write_file'],
  ['edit', 'edit_file'],
  ['multiedit', 'edit_file'],
  ['glob', 'glob'],
  ['ls', 'glob'],
  ['grep', 'grep'],
])
