import type { OpenAgent } from '../../agent/agent.ts'
import type { AgentEvent } from '../../agent/agent-event.ts'
import { limitOf, type SessionContext } from '../../agent/session-context.ts'
import { awaitsAnswer } from '../../agent/transcript/transcript-fold.ts'
import type { TeamHandle } from '../../journal/team-handle.ts'
import { NEXT_TASK_READY, NO_NEXT_TASK } from '../../prompts/task-state.ts'
import { nextFor } from '../../team/board/decide-claims.ts'
import { isHandOverNear } from '../../team/board/hand-over.ts'
import type { Author } from '../../team/event.ts'
import { heldBy, memberNamed, unreadOf } from '../../team/state.ts'
import type { TaskId } from '../../team/task.ts'
import type { TeamMembership } from '../../tools/team-membership.ts'
import type { ToolResult } from '../../tools/tool.ts'

/** A teammate that ended its own task by a tool call gets the next one in the same turn. */
export interface HandOver {
  onEvent(event: AgentEvent): void
  /** Called before each input of a turn: claims the next task, if that is due, and announces it. */
  beforeInput(agent: OpenAgent, signal: AbortSignal): Promise<void>
}

export interface HandOverOptions {
  readonly context: Pick<SessionContext, 'clock' | 'limits' | 'run'>
  readonly team: TeamHandle
  readonly by: Author
  /** Adds a notice about the task it holds now. */
  tellTask(agent: OpenAgent): Promise<void>
}

/** However long its answers take, so long an agent waits at most for its next task. */
const MAX_WAIT_SECONDS = 10

export function createHandOver({ context, team, by, tellTask }: HandOverOptions): HandOver {
  const { clock } = context
  let handOver: ToolResult['handOver']
  let askedAt = 0
  let lastAnswerSeconds = 0

  const isHolding = () => heldBy(team.state, by.name) !== undefined

  async function claim(): Promise<boolean> {
    // The model is called meanwhile; nothing follows from its answer before the claim is durable.
    await team.run({ type: 'task.claim', isHandOver: true }, { by, until: 'written' })
    return isHolding()
  }

  /**
   * Without a task the agent would now make a request only to end its turn, and could take none until it is answered. If
   * others are about to make a task ready for it, it waits as long as that request would take, judged by its last answer:
   * so the wait costs at most as much time as it may save. True when it holds a task.
   */
  async function awaitTask({ inbox: { notices } }: OpenAgent, signal: AbortSignal): Promise<boolean> {
    const until = clock.now() + Math.min(lastAnswerSeconds, MAX_WAIT_SECONDS)
    // In a recorded run nothing may depend on time.
    if (team.order) return false
    let missed: TaskId | undefined
    while (clock.now() < until && !signal.aborted && limitOf(context) === undefined) {
      const member = memberNamed(team.state, by.name)
      if (!member || notices.waiting > 0 || unreadOf(team.state, by.name).length > 0) return false
      const next = nextFor(team.state, member)
      if (next && next.id !== missed) {
        if (await claim()) return true
        // Another member got it, or is to get it. Meanwhile a different task may have become ready.
        missed = next.id
        continue
      }
      if (!isHandOverNear(team.state, member)) return false
      await changed(until - clock.now(), signal)
    }
    return false
  }

  /** Resolves with the next record of the journal, after so many seconds, or when the signal aborts. */
  function changed(seconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        stopWatching()
        cancelAlarm()
        signal.removeEventListener('abort', end)
        resolve()
      }
      const stopWatching = team.watch(end)
      const cancelAlarm = clock.in(seconds, end)
      signal.addEventListener('abort', end)
    })
  }

  return {
    onEvent(event) {
      if (event.type === 'answered') lastAnswerSeconds = clock.now() - askedAt
      if (event.type !== 'tool_finished') return
      const { result } = event
      if (result.handOver) handOver = result.handOver
      // It claimed a task itself, and the result describes that.
      if (result.task !== undefined) handOver = undefined
    },
    async beforeInput(agent, signal) {
      const due = handOver
      handOver = undefined
      await announceNext(agent, due, signal)
      askedAt = clock.now()
    },
  }

  async function announceNext(agent: OpenAgent, due: ToolResult['handOver'], signal: AbortSignal): Promise<void> {
    if (due === undefined || (due === 'due' && limitOf(context) !== undefined)) return
    if (due === 'due') await claim()
    if (isHolding()) return tellTask(agent)
    if (due === 'done') return
    if (await awaitTask(agent, signal)) {
      if (due === 'none') agent.inbox.notices.add({ text: NEXT_TASK_READY })
      return tellTask(agent)
    }
    // An agent that has ended its turn already is not prompted only to hear that nothing is left.
    if (due === 'due' && awaitsAnswer(agent.transcript.state)) agent.inbox.notices.add({ text: NO_NEXT_TASK })
  }
}

/** The membership of a teammate: ended tasks are followed by the next ones while no limit prevents that. */
export function withHandOver(
  context: Pick<SessionContext, 'limits' | 'run'>,
  membership: TeamMembership,
): TeamMembership {
  return Object.create(membership, { handsOver: { value: () => limitOf(context) === undefined } })
}
