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
  runInPlaceOf(
    task: Task,
    member: Member,
    as: Author,
    signal: AbortSignal,
  ): Promise<{ text: string; problem?: string | undefined }>
}
