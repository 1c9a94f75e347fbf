import type { OpenAgent } from '../agent/agent.ts'
import type { TeamHandle } from '../journal/team-handle.ts'
import { earlierAttemptsText } from '../prompts/earlier-attempts.ts'
import { resumedText, taskText, unfinishedTaskText } from '../prompts/task.ts'
import { planGate } from '../team/plan-gate.ts'
import { heldBy, memberNamed, type TeamState } from '../team/state.ts'
import type { Task } from '../team/task.ts'

/** How often a teammate is reminded of one assignment before it counts as failed. */
export const MAX_REMINDERS = 2

/** What a teammate was told about the task it holds, and how often it was reminded of it. */
export interface HeldTask {
  /** Adds to the next turn what the teammate has to know about its task. `isCutOff`: its conversation ended in the middle. */
  tell(agent: Pick<OpenAgent, 'inbox' | 'hasLostTurns'>, state: TeamState, isCutOff: boolean, earlier?: string): void
  /** What other members that held its task before had done; nothing for a task it knows. */
  earlierWords(team: Pick<TeamHandle, 'state' | 'earlierAttempts'>): Promise<string>
  /** It has something to hear about this task. */
  isDue(task: Task): boolean
  /** It is reminded at its next turn. False if it was reminded often enough. */
  remind(): boolean
  /** What it was told last may not have reached it. */
  forget(): void
  /** The turn with what it was told is in its transcript. */
  heard(): void
  /** Since it got its task, or was reminded of it, it asked another member: it may be waiting for an answer. */
  hasAsked: boolean
}

export function createHeldTask(name: string, isBack: boolean): HeldTask {
  /** `task/attempt` of what it was told that it holds. */
  let told = ''
  let reminders = 0
  let isReminderDue = false
  let isBackWordDue = isBack
  const held: HeldTask = {
    hasAsked: false,
    tell({ inbox: { notices }, hasLostTurns }, state, isCutOff, earlier = '') {
      const member = memberNamed(state, name)
      // A teammate that waits for the answer to its plan gets no reminder before the answer.
      const task = member && planGate(state, member) !== 'pending' ? heldBy(state, name) : undefined
      // Until it has heard it: something urgent may come in between.
      isBackWordDue &&= task !== undefined || isCutOff
      const isNew = task !== undefined && keyOf(task) !== told
      const behind = earlier === '' ? '' : `\n${earlier}`
      if (isBackWordDue) notices.add({ text: `${resumedText(state, name, hasLostTurns)}${behind}`, task: task?.id })
      else if (isNew) notices.add({ text: `${taskText(state, task)}${behind}`, task: task.id })
      else if (task && isReminderDue) {
        reminders++
        held.hasAsked = false
        notices.add({ text: unfinishedTaskText(task) })
      }
      if (isNew) {
        reminders = 0
        held.hasAsked = false
      }
      isReminderDue = false
      told = task ? keyOf(task) : ''
    },
    async earlierWords(team) {
      const task = heldBy(team.state, name)
      return task && held.isDue(task) ? earlierAttemptsText(task.id, await team.earlierAttempts(task, name)) : ''
    },
    isDue: (task) => keyOf(task) !== told || isReminderDue,
    remind() {
      if (reminders >= MAX_REMINDERS) return false
      isReminderDue = true
      return true
    },
    forget() {
      told = ''
    },
    heard() {
      isBackWordDue = false
    },
  }
  return held
}

function keyOf({ id, attempts }: Task): string {
  return `${id}/${attempts}`
}
