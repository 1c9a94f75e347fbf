import type { Tool } from './tool.ts'

/** Tools that come from elsewhere and may change while a session is open, such as those of MCP servers. */
export interface ToolSource {
  /** What is known now; the same array until something changes. */
  readonly tools: readonly Tool[]
  /** Resolves when it is known which tools there are, or that some do not come. Rejects only when aborted. */
  ready(signal: AbortSignal): Promise<void>
  /** This agent has ended: what was started for it alone is ended too. */
  release(agent: AgentName): Promise<void>
}

export interface AgentName {
  readonly team: string
  readonly agent: string
}
