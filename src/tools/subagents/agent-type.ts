import type { AcpEntry } from './acp-entry.ts'

/** A kind of subagent: its prompt and tools. It never has the Task tool: a subagent starts no other. */
export interface AgentType {
  readonly name: string
  /** Tells the model when to use it. */
  readonly description: string
  readonly prompt: string
  /** Names of tools; those of MCP servers may hold `*`. */
  readonly tools: readonly string[]
  /** Tools of MCP servers that it does not have, although `tools` means them. */
  readonly withoutTools?: readonly string[] | undefined
  /** Writes no files; each command it runs needs a rule or an answer. */
  readonly isReadOnly: boolean
  /** Undefined: the model of the agent that starts it. */
  readonly model: string | undefined
  /** The most model calls of one subagent run. */
  readonly maxTurns?: number | undefined
  /** Another vendor's agent, which its own program runs. It works as a teammate only. */
  readonly acp?: AcpEntry | undefined
  /** A file of the project describes it: what it starts needs the approval of a person. */
  readonly isProject?: boolean | undefined
}

/** Means every tool of every MCP server. */
export const ALL_SERVER_TOOLS = 'mcp__*'
