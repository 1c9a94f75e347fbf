import { heldBy, type TeamState } from '../team/state.ts'
import type { Task } from '../team/task.ts'

/** Longer results of earlier tasks are cut. */
const MAX_RESULT_CHARACTERS = 2000

/** The results of so many earlier tasks are quoted. */
const MAX_RESULTS = 20

/** Fixed parts of the texts below, which the scripted model of the demo finds its task by. */
export const TASK_TEXT = {
  open: '<task id="',
  close: '</task>',
  hold: 'You hold task',
  stillHold: 'You still hold task',
  files: 'Files: ',
  result: 'resulted in: ',
  reminder: 'but you still hold task',
} as const

/** What a teammate reads about a task it holds now. */
export function taskText(state: TeamState, task: Task, opening: string = TASK_TEXT.hold): string {
  const files = task.files.length > 0 ? `\n${TASK_TEXT.files}${task.files.join(', ')}` : ''
  const results = task.blockedBy.flatMap((id) => {
    const done = state.tasks.get(id)
    if (done?.status !== 'completed' || done.result === null) return []
    return [`\nTask ${id} (${done.subject}) ${TASK_TEXT.result}${cut(done.result)}`]
  })
  const more = results.length - MAX_RESULTS
  const before =
    more > 0 ? [...results.slice(0, MAX_RESULTS), `\nand ${more} more results: ask lead for them`] : results
  const how = 'Complete it with TaskUpdate (status completed, result) when it is done.'
  return `${TASK_TEXT.open}${task.id}">\n${opening} ${task.id}: ${task.subject}\n${task.description}${files}${before.join('')}\n${how}\n${TASK_TEXT.close}`
}

/** Reminds a teammate that ended its turn while it held a task. */
export function unfinishedTaskText(task: Task): string {
  return `You ended your turn, ${TASK_TEXT.reminder} ${task.id} (${task.subject}). Go on with it. If it is done, complete it with TaskUpdate; if it cannot be done, set its status to failed with the reason, or to pending to give it back.`
}

/** What a teammate reads after its process died and it was brought back. */
export function resumedText(state: TeamState, name: string, hasLostTurns = false): string {
  const task = heldBy(state, name)
  const held = task ? `\n${taskText(state, task, TASK_TEXT.stillHold)}` : ''
  const memory = hasLostTurns
    ? 'Your transcript is missing or lost its end, so you do not see all of your conversation; a message says more. Check the state of your work before you continue'
    : 'Your conversation is here as far as it was kept'
  return `Your process ended and you were brought back. ${memory}; what was under way may have taken effect or not.${held}`
}

function cut(text: string): string {
  return text.length > MAX_RESULT_CHARACTERS
    ? `${text.slice(0, MAX_RESULT_CHARACTERS)}… (cut off here; ask lead for the rest)`
    : text
}
