import type { OpenAgent } from '../../agent/agent.ts'
import { limitOf, type SessionContext } from '../../agent/session-context.ts'
import type { TeamHandle } from '../../journal/team-handle.ts'
import { NO_NEXT_TASK } from '../../prompts/task-state.ts'
import type { Author } from '../../team/event.ts'
import { heldBy } from '../../team/state.ts'
import type { TeamMembership } from '../../tools/team-membership.ts'
import type { ToolResult } from '../../tools/tool.ts'

/** A teammate that ended its own task by a tool call gets the next one in the same turn. */
export interface HandOver {
  onToolFinished(result: ToolResult): void
  /** Called before each input of a turn: claims the next task, if that is due, and announces it. */
  beforeInput(agent: OpenAgent): Promise<void>
}

export interface HandOverOptions {
  readonly context: Pick<SessionContext, 'limits' | 'run'>
  readonly team: TeamHandle
  readonly by: Author
  /** Adds a notice about the task it holds now. */
  tellTask(agent: OpenAgent): Promise<void>
}

export function createHandOver({ context, team, by, tellTask }: HandOverOptions): HandOver {
  let handOver: ToolResult['handOver']
  return {
    onToolFinished(result) {
      if (result.handOver) handOver = result.handOver
      // It claimed a task itself, and the result describes that.
      if (result.task !== undefined) handOver = undefined
    },
    async beforeInput(agent) {
      const due = handOver
      handOver = undefined
      if (due === undefined || (due === 'due' && limitOf(context) !== undefined)) return
      // The model is called meanwhile; nothing follows from its answer before the claim is durable.
      if (due === 'due') await team.run({ type: 'task.claim', isHandOver: true }, { by, until: 'written' })
      if (heldBy(team.state, by.name)) await tellTask(agent)
      else if (due === 'due') agent.inbox.notices.add({ text: NO_NEXT_TASK })
    },
  }
}

/** The membership of a teammate: ended tasks are followed by the next ones while no limit prevents that. */
export function withHandOver(
  context: Pick<SessionContext, 'limits' | 'run'>,
  membership: TeamMembership,
): TeamMembership {
  return Object.create(membership, { handsOver: { value: () => limitOf(context) === undefined } })
}
