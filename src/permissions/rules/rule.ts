import { type FileLookup, fileSystem } from '../paths/file-lookup.ts'
import { type PathPattern, parsePathPattern } from '../paths/path-pattern.ts'
import type { Action } from '../permission.ts'
import type { Line } from '../shell/line.ts'
import { catchesLine, either, type Match } from '../shell/match-command.ts'
import { catchesFiles } from '../shell/match-files.ts'
import type { Rule } from './parse-rule.ts'

/** Whether the rule is about the tool itself, whatever it does. */
export function namesTool(rule: Rule, tool: string): boolean {
  return rule.pattern === undefined && rule.tools.some((named) => meansTool(named, tool))
}

/** How the name of every tool of an MCP server begins. */
export const MCP = 'mcp__'

/**
 * Whether a name in a rule or in the tools of an agent type means this tool. Names of tools of MCP servers may stand for
 * many: `mcp__github` for all of one server, `mcp__github__get_*` for some. No such name means a tool of ours.
 */
export function meansTool(named: string, tool: string): boolean {
  const [wanted, name] = [named.toLowerCase(), tool.toLowerCase()]
  if (wanted === name) return true
  if (!wanted.startsWith(MCP) || !name.startsWith(MCP)) return false
  const isWholeServer = !wanted.slice(MCP.length).includes('__') && !wanted.endsWith('*')
  return matchesWildcard(isWholeServer ? `${wanted}__*` : wanted, name)
}

/** Each `*` stands for any characters, also for none. */
function matchesWildcard(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return pattern === name
  if (!name.startsWith(first) || name.length < first.length + last.length || !name.endsWith(last)) return false
  let at = first.length
  for (const part of rest) {
    const found = name.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return at <= name.length - last.length
}

/** Whether a rule that allows means this. Command lines are for `allowsLine`: every part of one must be allowed. */
export function allows(rule: Rule, tool: string, action: Action | undefined, root: string): boolean {
  if (namesTool(rule, tool)) return true
  if (!rule.tools.includes(tool.toLowerCase()) || rule.pattern === undefined) return false
  if (action?.kind !== 'read' && action?.kind !== 'write') return false
  return pathPatternOf(rule.pattern, root, false)?.matches(action.path) ?? false
}

/**
 * Whether a rule that denies or asks means this. Of a command it looks at every part, however it is wrapped, and at the
 * files it names, so that bash cannot do to a file what a file tool may not.
 */
export function catches(
  rule: Rule,
  tool: string,
  action: ReadAction | undefined,
  root: string,
  fileLookup: FileLookup = fileSystem,
): Match {
  const { pattern, tools } = rule
  if (pattern === undefined) return namesTool(rule, tool) ? 'yes' : 'no'
  if (action?.kind === 'read' || action?.kind === 'write')
    return catchesPath(rule, action.kind, action.path, root) ? 'yes' : 'no'
  if (action?.kind !== 'run') return 'no'
  const line = action.line
  if (tools.includes(tool.toLowerCase())) return catchesLine(pattern, line)
  const kinds = (['read', 'write'] as const).filter((kind) => tools.some((name) => TOUCHING[kind].includes(name)))
  return either(
    kinds.map((kind) => {
      const means = pathPatternOf(pattern, root, true)
      return catchesFiles({ kind, text: pattern, pattern: means, fileLookup }, line)
    }),
  )
}

/** A action whose command has been read. */
export type ReadAction = Exclude<Action, { kind: 'run' }> | (Extract<Action, { kind: 'run' }> & { readonly line: Line })

/** The same for a file alone: who may not edit it must not replace it either. What cannot be read means every file. */
export function catchesPath({ tools, pattern }: Rule, kind: 'read' | 'write', path: string, root: string): boolean {
  if (pattern === undefined || !tools.some((tool) => TOUCHING[kind].includes(tool))) return false
  return pathPatternOf(pattern, root, true)?.matches(path) ?? true
}

/** The tools whose rules are about files that are read or written. */
export const TOUCHING = { read: ['read_file', 'glob', 'grep'], write: ['write_file', 'edit_file'] }

/** Rules are few and asked often. */
const patterns = new Map<string, PathPattern | undefined>()

function pathPatternOf(pattern: string, root: string, isCaseless: boolean): PathPattern | undefined {
  const key = `${isCaseless} ${root} ${pattern}`
  if (!patterns.has(key)) patterns.set(key, parsePathPattern(pattern, root, isCaseless))
  return patterns.get(key)
}
