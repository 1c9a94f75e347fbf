import { type AgentType, BUILT_IN } from '../tools/agents/agent-type.ts'
import { readAgentTypes } from '../tools/agents/read-agent-types.ts'
import type { Workspace } from '../workspace.ts'
import { isTrusted } from './trusted.ts'

/** The kinds of agents a lead may send out: ours, and those of the project where somebody trusts it. */
export function agentTypesOf(place: Workspace, warn: (message: string) => void): readonly AgentType[] {
  const { types, problems } = readAgentTypes(place.workspace)
  if (types.length === BUILT_IN.length && problems.length === 0) return BUILT_IN
  if (isTrusted(place)) {
    for (const problem of problems) warn(problem)
    return types
  }
  warn(`The agent types of this project wait until you trust it: deskmates trust`)
  return BUILT_IN
}
