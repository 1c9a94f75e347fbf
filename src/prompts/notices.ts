import type { TeamEvent } from '../team/event.ts'
import { beginning } from '../team/wording.ts'

/** A job of an agent that has ended. */
interface EndedJob {
  readonly id: string
  readonly about: string
  readonly state: string
  readonly summary?: string | undefined
}

const MAX_ABOUT_LENGTH = 200
const MAX_SUMMARY_LENGTH = 500

/** Part of the next user turn after a job of the agent has ended. */
export function jobEndedText(job: EndedJob): string {
  return jobNotice(job, `Its output: TaskOutput {"task_id":"${job.id}"}`)
}

/** The same after a restart: the output of the job was lost with the process that ran it. */
export function jobWithoutOutputText(job: EndedJob): string {
  return jobNotice(job, 'Its output is not available any more; run it again if you need it and it does no harm.')
}

export const INTERRUPTED_JOB = {
  state: 'stopped',
  summary: 'Interrupted: the process that ran it has died, and what was left of it has been ended.',
}

function jobNotice({ id, about, state, summary = '' }: EndedJob, output: string): string {
  return [
    '<task-notification>',
    `<task-id>${id}</task-id>`,
    `<status>${state}</status>`,
    `<about>${beginning(about, MAX_ABOUT_LENGTH)}</about>`,
    `<summary>${beginning(summary, MAX_SUMMARY_LENGTH)}</summary>`,
    output,
    '</task-notification>',
  ].join('\n')
}

/** The result of a call whose end is not known. The system prompts name its first word. */
export const INTERRUPTED_CALL =
  'Interrupted before it ended. It may have taken effect or not: look before you do it again.'

/** The same where the user ended the turn. */
export const CALL_INTERRUPTED_BY_USER =
  'Interrupted by the user before it ended. It may have taken effect or not: look before you do it again.'

/** Stands in the conversation where the user ended a turn. */
export const TURN_INTERRUPTED_BY_USER = '[The user interrupted you here. What follows is what they want now.]'

/** The result of a call that ended a task before its process did; undefined if these events end none. */
export function recordedEndText(events: readonly TeamEvent[]): string | undefined {
  for (const event of events) {
    if (event.type === 'task.completed') return `Task #${event.id} completed. Your process ended right after that.`
    if (event.type === 'task.failed')
      return `Task #${event.id} failed, as you said. Your process ended right after that.`
  }
  return undefined
}

export function deniedCallText(why: string): string {
  return `Denied: ${why}`
}

export function sameCallFailedText(times: number, limit: number): string {
  return `The same call has failed in ${times} answers and nothing else made progress. It is not made again: try one other way. If that fails too, say what blocks you and end your turn. After ${limit} your turn is stopped.`
}

/** The result of a call that is not made again. */
export function notRepeatedText(tool: string, times: number): string {
  return `Not done: the same call of ${tool} has failed ${times} times, so it is not made again. Try one other way; if that fails too, report what blocks you and end your turn.`
}

/** For the superior of an agent that repeats a failing call. */
export function blockerText(member: string, task: string | undefined, { tool, times, error }: FailedCall): string {
  const where = task === undefined ? '' : ` in task ${task}`
  return `${member} is blocked${where}: the same call of ${tool} failed ${times} times and is not made again. Last error: ${beginning(error, MAX_SUMMARY_LENGTH)}`
}

interface FailedCall {
  readonly tool: string
  readonly times: number
  readonly error: string
}

export function noProgressText(answers: number, limit: number): string {
  return `${answers} answers in a row contained nothing but failing calls. Find another way, or say what is in the way and end your turn. After ${limit} your turn is stopped.`
}

/** What a Stop hook wants done before the agent ends its turn. */
export function stopHookText(feedback: string): string {
  return `<hook event="Stop">\n${feedback}\n</hook>`
}

export function hookRefusedCallText(why: string): string {
  return `a hook refused it: ${why}\nCorrect what it names and call again, or do without this call.`
}

/** Follows the result of a call that a PostToolUse hook objects to. */
export function hookObjectionText(why: string): string {
  return `[a hook objects: ${why}]`
}

/** A prompt of the user with what a UserPromptSubmit hook adds to it. */
export function promptWithHookText(prompt: string, context: string): string {
  return context === '' ? prompt : `${prompt}\n\n[added by a hook of the user]\n${context}`
}
