import type { z } from 'zod'
import type { AlarmClock } from '../../journal/clock.ts'
import type { TeamHandle } from '../../journal/team-handle.ts'
import type { Author } from '../../team/event.ts'
import type { Refusal } from '../../team/refusal.ts'

/** What a call of a tool works with. */
export interface ToolCall {
  readonly team: TeamHandle
  /** Who calls; its token was checked just before. */
  readonly by: Author
  readonly clock: AlarmClock
  /** This process, to which mail is assigned until the caller has named it. */
  readonly runtime: string
  /** Aborts when the caller cancels the call or is gone, or the server ends. */
  readonly signal: AbortSignal
}

/** What a tool returns: data that is complete by itself, and the same in words. */
export interface ToolOutput<Data> {
  readonly data: Data
  readonly text: string
  /** The call did not do what it was asked for, although nothing was refused: every recipient bounced. */
  readonly isFailure?: boolean
}

/** One tool of the server. `by`: whether only members may call it; what only reads is open to every caller. */
export interface TeamTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: z.ZodObject
  readonly output: z.ZodObject
  readonly isReadOnly: boolean
  readonly run: (input: never, call: ToolCall) => Promise<ToolOutput<object> | Refusal>
}

export function teamTool<Input extends z.ZodObject, Output extends z.ZodObject>(tool: {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: Input
  readonly output: Output
  readonly isReadOnly?: boolean
  run(input: z.output<Input>, call: ToolCall): Promise<ToolOutput<z.input<Output>> | Refusal>
}): TeamTool {
  return { isReadOnly: false, ...tool }
}
