import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parsePathPattern } from '../paths/path-pattern.ts'
import { isKnownProgram } from '../shell/tables/tables.ts'
import { isKnownUse } from '../shell/tables/unknown-use.ts'
import { literal } from '../shell/word.ts'
import type { Rule } from './parse-rule.ts'
import type { Policy } from './policy.ts'
import { MCP, meansTool, TOUCHING } from './rule.ts'

/** Rules that mean commands. */
const COMMANDS = ['bash', 'network']
const FILES = [...TOUCHING.read, ...TOUCHING.write]

/** What is said at start: each rule that cannot match anything, why, and what to write instead. */
export function deadRules(policy: Policy, tools: readonly string[], servers: readonly string[] = []): string[] {
  const known = new Set([...tools, ...COMMANDS, ...FILES].map((name) => name.toLowerCase()))
  const { allow, ask, deny } = policy
  return [
    ...[...deny, ...ask].map((rule) => ({ rule, why: whyDead(rule, policy, known, servers) })),
    ...allow.map((rule) => ({ rule, why: whyDead(rule, policy, known, servers) ?? whyCoversNothing(rule) })),
  ].flatMap(({ rule, why }) => (why === undefined ? [] : [`The rule ${rule.text} matches nothing: ${why}`]))
}

function whyDead(
  { tools, pattern }: Rule,
  { root }: Policy,
  known: ReadonlySet<string>,
  servers: readonly string[],
): string | undefined {
  const [tool = ''] = tools
  if (tool.startsWith(MCP)) return whyServerless(tool, pattern, servers)
  if (!tools.some((tool) => known.has(tool)))
    return `there is no tool ${tools.join(' or ')}. Remove the rule, or name one of the tools that deskmates has.`
  if (pattern === undefined) return undefined
  if (pattern === '') return 'its parentheses are empty. Write what it is about, or the name of the tool alone.'
  if (tools.some((tool) => COMMANDS.includes(tool))) return undefined
  if (!tools.some((tool) => FILES.includes(tool)))
    return `rules for ${tools.join(' or ')} have no pattern. Write the name of the tool alone.`
  if (!parsePathPattern(pattern, root)) return 'its path cannot be read. Write one as in a .gitignore.'
  const [, top] = /^\/([^/*?[{]+)/.exec(pattern) ?? []
  if (top !== undefined && !existsSync(join(root, top)) && existsSync(`/${top}`))
    return `a path with one / begins at the root of the project. Write /${pattern} for an absolute path.`
  return undefined
}

/** `servers` are their names as they stand in the names of tools; which tools they have is known when they run. */
function whyServerless(tool: string, pattern: string | undefined, servers: readonly string[]): string | undefined {
  if (pattern !== undefined) return `rules for MCP tools have no pattern. Write ${tool} alone, or with * in the name.`
  const isKnown = servers.some(
    (server) => meansTool(tool, `${MCP}${server}__x`) || tool.startsWith(`${MCP}${server.toLowerCase()}__`),
  )
  return isKnown ? undefined : 'no MCP server of that name is configured. See: deskmates mcp list'
}

/** Rules with `*` cover what the tables of harmless uses know, and nothing else. */
function whyCoversNothing({ tools, pattern }: Rule): string | undefined {
  if (pattern === undefined || !tools.some((tool) => COMMANDS.includes(tool)) || !pattern.includes('*'))
    return undefined
  const words = pattern.slice(0, pattern.indexOf('*')).replace(/:$/, '').trim().split(/\s+/).filter(Boolean)
  const [program] = words
  if (program === undefined || /[;&|<>$`'"(){}[\]]/.test(pattern)) return undefined
  if (!isKnownProgram(program))
    return `deskmates has no table of harmless uses of ${program}, so no pattern covers it. Allow exact commands, such as bash(${words.join(' ')}).`
  const tries = [[], ['x'], ['src/x.js'], ['5p'], ['-tf', 'x'], ['.']]
  if (words.length === 1 || tries.some((more) => isKnownUse([...words, ...more].map(literal)))) return undefined
  return `${words.join(' ')} is not among the harmless uses that a pattern covers. Allow exact commands instead.`
}
