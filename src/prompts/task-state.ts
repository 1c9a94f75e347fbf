import { type TaskView, waitsForWords } from '../team/answers/view.ts'
import { blockedTasks } from '../team/board/board.ts'
import type { TeamState } from '../team/state.ts'
import { planOf, type Task } from '../team/task.ts'

/** The state of a task in a few words: `pending, waits for 1, 2`. */
export function taskStateText(task: TaskView): string {
  switch (task.status) {
    case 'pending':
      return [
        'pending',
        task.waitsFor.length > 0 ? `waits for ${waitsForWords(task)}` : 'ready',
        ...(task.assignee === null ? [] : [`assigned to ${task.assignee}`]),
        ...(task.role === null ? [] : [`for the role ${task.role}`]),
      ].join(', ')
    case 'in_progress':
      return `in_progress, owned by ${task.owner}`
    case 'completed':
      return `completed by ${task.owner}`
    case 'failed':
      return `failed (${task.owner}): ${task.reason}`
    default:
      return task.status satisfies never
  }
}

/** The tasks that became ready because this one is completed; `subjects` are the subjects of all that became ready. */
export function readyTasksText(state: TeamState, id: string, subjects: readonly string[]): string {
  const ready = waitingFor(state, id).flatMap((other) => {
    const task = state.tasks.get(other)
    return task && subjects.includes(task.subject) ? [numbered(task)] : []
  })
  return ready.length === 0 ? 'No other task became ready.' : `Ready now: ${ready.join('; ')}.`
}

/** What follows a task that an agent ended: its next one, which is described in the same turn, or none. */
export function nextTaskText(next: Pick<Task, 'id' | 'subject'> | null): string {
  return next ? ` Your next task: ${numbered(next)}.` : ` ${NO_NEXT_TASK}`
}

/** There may be ready tasks that are left to others. */
export const NO_NEXT_TASK = 'There is no next task for you now. End your turn if nothing else is left to do.'

/** Precedes the description of a task, in the turn of a result that ends with the text above. */
export const NEXT_TASK_READY = 'Since then a task became ready, and you have claimed it:'

/** Tasks that cannot go on while this one has failed. */
export function stillBlockedText(state: TeamState, id: string): string {
  const stuck = waitingFor(state, id)
  return stuck.length === 0 ? '' : ` Still blocked by it: ${stuck.join(', ')}.`
}

/** What waits for a task, or for the whole plan it belongs to. */
function waitingFor(state: TeamState, id: string): readonly string[] {
  const plan = planOf(id)
  return [...new Set([...blockedTasks(state, id), ...(plan ? blockedTasks(state, plan) : [])])]
}

export function numbered({ id, subject }: Pick<Task, 'id' | 'subject'>): string {
  return `#${id} ${subject}`
}
