import { meansTool } from '../../permissions/rules/rule.ts'
import type { AgentType } from './agent-type.ts'

/** What an agent of a role is: the organisation narrows what the type of its spawn says, and never widens it. */
export function narrowedType(ofRole: AgentType | undefined, ofSpawn: AgentType | undefined): AgentType | undefined {
  if (!ofRole || !ofSpawn) return ofRole ?? ofSpawn
  return {
    ...ofRole,
    tools: sharedTools(ofRole.tools, ofSpawn.tools),
    withoutTools: [...(ofRole.withoutTools ?? []), ...(ofSpawn.withoutTools ?? [])],
    isReadOnly: ofRole.isReadOnly || ofSpawn.isReadOnly,
    maxTurns: ofSpawn.maxTurns,
    // Which program runs it is what the spawn chose; what it may do is what the role says.
    ...(ofSpawn.acp && { acp: ofSpawn.acp, isProject: ofSpawn.isProject, name: ofSpawn.name }),
  }
}

/** The tools that both lists mean: of two names of which one means the other, the narrower. */
export function sharedTools(some: readonly string[], others: readonly string[]): string[] {
  const inBoth = some.filter((tool) => others.some((other) => meansTool(other, tool)))
  return [...new Set([...inBoth, ...others.filter((tool) => some.some((other) => meansTool(other, tool)))])]
}

/** Whether an agent of this type has a tool of an MCP server; without a type it has all of them. */
export function hasServerTool(type: Pick<AgentType, 'tools' | 'withoutTools'> | undefined, tool: string): boolean {
  if (!type) return true
  const means = (named: string) => meansTool(named, tool)
  return type.tools.some(means) && !(type.withoutTools ?? []).some(means)
}
