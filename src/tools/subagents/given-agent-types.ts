import type { AgentType } from './agent-type.ts'
import { BUILT_IN } from './built-in-types.ts'
import { agentTypeOf } from './parse-agent-type.ts'

export type GivenAgentTypes =
  | { readonly types: readonly AgentType[]; readonly problems: readonly string[] }
  /** Why none of them can be used. */
  | { readonly why: string }

/** Agent types by name, each with `description`, `prompt` and what the head of an agent file may say. */
export function givenAgentTypes(text: string): GivenAgentTypes {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { why: `it is not JSON (${error instanceof Error ? error.message : error})` }
  }
  if (!isObject(value)) return { why: 'it is not an object with a type for each name' }
  const types: AgentType[] = []
  const problems: string[] = []
  for (const [name, said] of Object.entries(value)) {
    const shown = JSON.stringify(name.slice(0, 80))
    if (!isObject(said)) return { why: `${shown} is not an object` }
    const { prompt, ...front } = said
    if (prompt !== undefined && typeof prompt !== 'string') return { why: `${shown}: prompt: it is not a text` }
    const parsed = agentTypeOf({ ...front, name }, prompt ?? '', 'in "prompt"')
    const { type } = parsed
    if (!type) return { why: `${shown}: ${parsed.problems.join(' ').replace(/\.$/, '')}` }
    const same = [...BUILT_IN, ...types].find((other) => other.name.toLowerCase() === type.name.toLowerCase())
    if (same) return { why: `${shown}: there is an agent type ${same.name} already` }
    types.push(type)
    problems.push(...parsed.problems.map((problem) => `${shown}: ${problem}`))
  }
  return { types, problems }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
