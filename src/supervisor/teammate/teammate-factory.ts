import type { OpenAgent } from '../../agent/agent.ts'
import type { Author } from '../../team/event.ts'
import type { Member } from '../../team/members/member.ts'
import type { Task } from '../../team/task.ts'

/** Opens the agents of a team's teammates. */
export interface TeammateFactory {
  /** Opens the conversation of a member where it was. */
  openAgent(member: Member, by: Author): Promise<OpenAgent>
  /**
   * Carries out one task without a teammate, as the member `as` that holds it. It completes the task by its own tool call
   * or not at all; `problem` says why it ended without an answer.
   */
  runInPlaceOf(run: RunInPlace): Promise<{ text: string; problem?: string | undefined }>
}

export interface RunInPlace {
  readonly task: Task
  /** Whose role, type and model it has. */
  readonly member: Pick<Member, 'name' | 'role' | 'profile'>
  readonly as: Author
  /** As a job of the lead, which hears of its end. */
  readonly isReported: boolean
  /** It completed the task in a process that ended: its conversation continues, up to its final answer. */
  readonly isContinued: boolean
  readonly signal: AbortSignal
}
