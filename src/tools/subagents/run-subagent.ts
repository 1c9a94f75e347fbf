import type { Log } from '../../journal/log/store.ts'
import type { TeamEvent } from '../../team/event.ts'
import type { Tool, ToolContext } from '../tool.ts'
import type { AgentType } from './agent-type.ts'

/** Runs a subagent to its end with the tools of its type; throws only when aborted. */
export type RunSubagent = (
  options: SubagentRun,
  context: ToolContext,
  /** Called with every tool the subagent uses. */
  onToolCall: () => void,
) => Promise<SubagentEnd>

/** What one subagent is started with. */
export interface SubagentRun {
  readonly type: AgentType
  readonly description: string
  readonly prompt: string
  readonly model: string | undefined
  /** Tools besides those of its type. */
  readonly tools?: readonly Tool[] | undefined
  /** Where its conversation is kept, for a task of the board; without it only its final answer is kept. */
  readonly record?: SubagentRecord | undefined
  /** False once its work has ended and only its answer is missing; without it, never. */
  isOwing?(): boolean
  /** A person is asked on its behalf. Where this is given, it ends when it gives no sign of life for too long. */
  isWaiting?(): boolean
  /** What it is told when it wants to end with this answer although something is missing; undefined if it may end. */
  wantsMore?(answer: string): string | undefined
}

export interface SubagentRecord {
  readonly log: Log
  readonly generation: number
  readonly task: string
  /** Its conversation is there already: calls that were cut off are answered by `eventsOf`, and the prompt is not given again. */
  readonly continued?: { eventsOf(commandId: string): Promise<readonly TeamEvent[] | undefined> } | undefined
}

export interface SubagentEnd {
  /** All text of its final answer. */
  readonly text: string
  /** Why it did not finish, if it did not: a limit, a budget, an error. */
  readonly problem?: string | undefined
}
