import type { OpenAgent } from '../../agent/agent.ts'
import type { AgentEvent } from '../../agent/agent-event.ts'
import type { Notices } from '../../agent/input/notices.ts'
import type { TeamHandle } from '../../journal/team-handle.ts'
import { earlierAttemptsText } from '../../prompts/earlier-attempts.ts'
import { resumedText, taskText, unfinishedTaskText } from '../../prompts/task.ts'
import { planGate } from '../../team/members/plan-gate.ts'
import { heldBy, memberNamed, type TeamState } from '../../team/state.ts'
import type { Task, TaskId } from '../../team/task.ts'

/** How often a teammate is reminded of one assignment before it counts as failed. */
export const MAX_REMINDERS = 2

/** Announces to a teammate the task it holds, and counts how often it was reminded of it. */
export interface HeldTask {
  /** Adds a notice about its task to the next turn. `isCutOff`: its conversation ended in the middle of a turn. */
  tell(agent: Notified, state: TeamState, isCutOff: boolean, earlier?: string): void
  /** What earlier owners of its task did; empty for a task that was announced already. */
  earlierAttempts(team: Pick<TeamHandle, 'state' | 'earlierAttempts'>): Promise<string>
  /** A notice about this task is due. */
  isDue(task: Task): boolean
  /** Reminds it at its next turn. False if it was reminded often enough. */
  remind(): boolean
  /** The last notice may not have reached it. */
  forget(): void
  /** In the turn that runs: the notice is in its transcript, it took a task itself, or it asked something. */
  onEvent(event: AgentEvent, state: TeamState): void
  /** The task it held in its last turn, the last one if there were several. */
  readonly lastTask: TaskId | undefined
  /** It sent a message since it got its task or was reminded of it: it may be waiting for an answer. */
  readonly hasAsked: boolean
}

/** Of an agent, what a notice about its task needs. */
type Notified = Pick<OpenAgent, 'hasLostTurns'> & { readonly inbox: { readonly notices: Pick<Notices, 'add'> } }

const ASKS = new Set(['SendMessage', 'send_message'])

export function createHeldTask(name: string, isResumed: boolean): HeldTask {
  /** `task/attempt` that was announced last. */
  let announced = ''
  let reminders = 0
  let isReminderDue = false
  let isResumeNoticeDue = isResumed
  let hasAsked = false
  let lastTask: TaskId | undefined
  const held: HeldTask = {
    get hasAsked() {
      return hasAsked
    },
    tell({ inbox: { notices }, hasLostTurns }, state, isCutOff, earlier = '') {
      const member = memberNamed(state, name)
      // A teammate that waits for the answer to its plan gets no reminder before the answer.
      const task = member && planGate(state, member) !== 'pending' ? heldBy(state, name) : undefined
      // Due until its transcript has it: an urgent message may interrupt the turn before.
      isResumeNoticeDue &&= task !== undefined || isCutOff
      const isNew = task !== undefined && keyOf(task) !== announced
      const suffix = earlier === '' ? '' : `\n${earlier}`
      if (isResumeNoticeDue) notices.add({ text: `${resumedText(state, name, hasLostTurns)}${suffix}`, task: task?.id })
      else if (isNew) notices.add({ text: `${taskText(state, task)}${suffix}`, task: task.id })
      else if (task && isReminderDue) {
        reminders++
        hasAsked = false
        notices.add({ text: unfinishedTaskText(task) })
      }
      if (isNew) {
        reminders = 0
        hasAsked = false
      }
      isReminderDue = false
      lastTask = heldBy(state, name)?.id
      announced = task ? keyOf(task) : ''
    },
    async earlierAttempts(team) {
      const task = heldBy(team.state, name)
      return task && held.isDue(task) ? earlierAttemptsText(task.id, await team.earlierAttempts(task, name)) : ''
    },
    onEvent(event, state) {
      if (event.type === 'input_received') isResumeNoticeDue = false
      if (event.type === 'tool_finished' && ASKS.has(event.call.toolName) && !event.result.isError) hasAsked = true
      lastTask = heldBy(state, name)?.id ?? lastTask
    },
    get lastTask() {
      return lastTask
    },
    isDue: (task) => keyOf(task) !== announced || isReminderDue,
    remind() {
      if (reminders >= MAX_REMINDERS) return false
      isReminderDue = true
      return true
    },
    forget() {
      announced = ''
    },
  }
  return held
}

function keyOf({ id, attempts }: Task): string {
  return `${id}/${attempts}`
}
