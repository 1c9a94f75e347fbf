import type { AgentType } from '../../tools/subagents/agent-type.ts'
import { givenAgentTypes } from '../../tools/subagents/given-agent-types.ts'
import { Misused } from '../program/failure.ts'

const EXAMPLE = '{"reviewer": {"description": "reviews changes", "prompt": "You review changes."}}'

/** The agent types of `--agents JSON`. */
export function agentsOption(
  agents: string | undefined,
  warn: (message: string) => void,
): readonly AgentType[] | undefined {
  if (agents === undefined) return undefined
  const given = givenAgentTypes(agents)
  if ('why' in given) throw new Misused(`--agents: ${given.why}. Write it like this: ${EXAMPLE}`)
  for (const problem of given.problems) warn(`--agents: ${problem}`)
  return given.types
}
