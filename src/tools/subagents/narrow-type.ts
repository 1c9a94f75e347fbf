import type { AgentType } from './agent-type.ts'

/** What an agent of a role is: the organisation narrows what the type of its spawn says, and never widens it. */
export function narrowedType(ofRole: AgentType | undefined, ofSpawn: AgentType | undefined): AgentType | undefined {
  if (!ofRole || !ofSpawn) return ofRole ?? ofSpawn
  return {
    ...ofRole,
    tools: ofRole.tools.filter((tool) => ofSpawn.tools.includes(tool)),
    isReadOnly: ofRole.isReadOnly || ofSpawn.isReadOnly,
    maxTurns: ofSpawn.maxTurns,
  }
}
