import type { Refusal } from '../team/refusal.ts'
import type { Task } from '../team/task.ts'
import { beginning } from '../team/wording.ts'
import { refusalForModel } from './refusals.ts'

const MAX_LAST_WORDS_LENGTH = 1000

/** Mail to the lead: a teammate was lost. Other agents leave its task alone, unless it is behind the plan gate. */
export function teammateLostText(name: string, reason: string, task: Task | undefined, isFree: boolean): string {
  const next = isFree ? 'is free again' : `waits for ${name} or for the subagent in its place`
  return `${name} was lost: ${reason}.${task ? ` Task ${task.id} (${task.subject}) ${next}.` : ''}`
}

/** Mail to the lead: a task behind the plan gate is not given to a replacement. */
export function noReplacementText(name: string, task: string): string {
  return `Task ${task} needs an approved plan, so no subagent does it in place of ${name}.`
}

/** Mail to the lead: no replacement could be started. Without a refusal the task was deleted. */
export function replacementRefusedText(task: string, refusal: Refusal | undefined): string {
  return `No subagent could take over task ${task}: ${refusal ? refusalForModel(refusal) : 'it was deleted'}`
}

/** A line of the log: what did the work so far, and what does it from here on. */
export function fallbackText(reason: string, to: 'task' | 'none', who: string): string {
  const change = to === 'task' ? 'from teammate to task' : 'from task to no agent'
  return `[FALLBACK] ${reason.replace(/\.$/, '')}: switching ${change} for ${who}`
}

/** Why a replacement ended without ending its task. */
export function unfinishedReplacementText(lastWords: string): string {
  const last = lastWords === '' ? 'it said nothing' : `its last words: ${beginning(lastWords, MAX_LAST_WORDS_LENGTH)}`
  return `it ended without completing the task (${last})`
}

/** The second answer of a one-shot agent was no valid hand-off either. */
export function refusedHandOffText(refusal: string): string {
  return `its answer was refused twice. ${refusal}`
}

/** The answer of a one-shot agent is a valid hand-off that could not be written to the journal. */
export function notRecordedText(refusal: string): string {
  return `what it handed over could not be recorded. ${refusal}`
}

/** The reason of a task that neither a teammate nor its replacement completed. */
export function replacementFailedText(name: string, loss: string, problem: string): string {
  return `${name} was lost (${loss}), and the subagent in its place failed too: ${problem}`
}

/** The reason of a task that an agent started for it alone did not complete. */
export function oneShotFailedText(problem: string): string {
  return `the agent that was started for it failed: ${problem}`
}

/** Asks a teammate to stop at the end of the work of its team. */
export function workOverRequest(reason: 'phase_complete' | 'plan_complete' | 'user_abort', team: string): string {
  const why = reason === 'user_abort' ? `the user deletes team ${team}` : `the work of team ${team} is over`
  return `${reason}: ${why}. Please stop; say what you leave unfinished.`
}

/** A problem of the run: a task failed, and no agent is left that could do it. */
export function haltedText(task: string, problem: string): string {
  return `No further task is started, because task ${task} failed without an agent left to do it: ${problem}. Fix the cause, set the task to pending again, then run the plans again.`
}

/** Mail to the lead: the result of a task whose owner completed it without a word. */
export function noResultText({ id, subject }: Task): string {
  return `Task ${id} (${subject}) is completed. No result was given.`
}

const MAX_NAMED_TASKS = 20

/** Notice to the lead: these ready tasks stay where they are until the lead changes something. */
export function strandedTasksText(tasks: readonly Task[], team: string | undefined): string {
  const named = tasks.slice(0, MAX_NAMED_TASKS).map(({ id, subject, role, assignee }) => {
    const whom = [...(assignee === null ? [] : [`assigned to ${assignee}`]), ...(role === null ? [] : [`role ${role}`])]
    return `- #${id} ${subject}${whom.length > 0 ? ` (${whom.join(', ')})` : ''}`
  })
  const more = tasks.length - named.length
  if (more > 0) named.push(`- and ${more} more: TaskList shows them`)
  const where = team === undefined ? '' : ` of the team ${team}`
  return `No member can take these ready tasks${where}:\n${named.join('\n')}\nSpawn a teammate that can, change their role or assignee, do them yourself, or delete them.`
}

/** Mail to the lead: a limit ended the turn of a teammate. */
export function stoppedByLimitText(name: string, why: string): string {
  return `${name} stopped where it was: ${why}.`
}

/** Why an agent was lost: its model and its tools were silent. */
export function lifelessText(who: string, seconds: number): string {
  return `${who} gave no sign of life for ${seconds} s`
}

export const BUDGET_USED = 'the budget of this run is used up'

/** The reason of a task that fails because reminders did not help. */
export function neverCompletedText(name: string, turns: number): string {
  return `${name} ended its turn ${turns} times without completing it`
}

export function silentModelText(seconds: number): string {
  return `its model was silent for ${seconds} s, and the run had nothing else to wait for`
}

/** Mail to the lead and a warning to the user. */
export function parkedText(name: string, reason: string): string {
  return `${name} was parked in the middle of an answer: ${reason}. It continues when the session is resumed.`
}

/** The answer that is recorded for a teammate that did not answer a shutdown request in time. */
export function shutdownTimedOutText(
  name: string,
  seconds: number,
  task: Task | undefined,
  uncommitted: number | undefined,
): string {
  const freed = task ? `; task ${task.id} (${task.subject}), which it held, is free again` : ''
  return `${name} did not answer within ${seconds} s and was stopped by force (timed_out)${freed}; status, pending work and artifacts committed: not said; uncommitted files: ${uncommitted ?? 'not checked'}`
}

/** The content of the shutdown requests that end a team. */
export const TEAM_DELETED_REQUEST = 'This team is being deleted. Please shut down.'

/** Mail to the lead: it leads a team no longer. */
export function teamGoneText(team: string, why: string): string {
  return `You have no team ${team} any more: ${why}`
}

export const GONE_WHILE_AWAY =
  'it was deleted while you were away, or its creation was interrupted. Unread messages to you in it were archived with it.'
