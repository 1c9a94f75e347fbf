import type { Stop } from '../../agent/agent-event.ts'
import type { Organisation } from '../../organisation/definition/organisation.ts'
import { nextLevel } from '../../organisation/guards/escalation.ts'
import { leadRole } from '../../organisation/routing/roles.ts'
import { limitText } from '../../prompts/limit.ts'
import type { Task } from '../../team/task.ts'

/** Why a step of a department did not come to its end. */
export interface StepProblem {
  readonly reason: string
  /** Tasks that a person has to do first: the step stays begun, and the next run continues it. */
  readonly waitsFor?: readonly string[]
  /** A limit of the run stopped it: the step stays begun, and the next run continues it. */
  readonly isLimit?: true
  /** Its reviews did not pass: the next run has them done anew. */
  readonly isReviewed?: true
  /** What goes to the level that decides now. */
  readonly escalation?: StepEscalation
}

/** The fields of an `escalation`, except those that every one of a step has. */
export interface StepEscalation {
  readonly from: string
  readonly to: string
  readonly evidence: readonly string[]
  readonly recommendation: string
  /** Of the review that is the cause. */
  readonly result?: string
}

/** As it is recorded for the owner, and mailed to a member. */
export function escalationContent({ result, evidence, ...escalation }: StepEscalation, issue: string) {
  return {
    ...escalation,
    issue,
    evidence: [...evidence],
    severity: 'blocking',
    ...(result !== undefined && { result }),
  }
}

/** Tasks failed, and no agent is left that could do them: the lead asks the level above it. */
export function failedTasks(organisation: Organisation, tasks: readonly Task[]): StepProblem {
  const evidence = tasks.map(taskProblem)
  const reason = evidence.join('; ')
  const isFailed = tasks.some(({ status }) => status === 'failed')
  const from = leadRole(organisation) ?? organisation.owner
  const to = nextLevel(organisation.escalation, from) ?? organisation.owner
  const recommendation = 'Fix the cause, then run the phase again: it continues with these tasks.'
  return isFailed ? { reason, escalation: { from, to, evidence, recommendation } } : { reason }
}

function taskProblem(task: Task): string {
  return `task ${task.id} is ${task.status}${task.status === 'failed' ? `: ${task.reason}` : ''}`
}

/** What a run of agents that did not finish means for its step. An interrupted one has no problem. */
export function problemOfStop(stop: Stop): StepProblem | undefined {
  switch (stop.kind) {
    case 'finished':
    case 'aborted':
      return undefined
    case 'limit':
      return {
        reason: stop.limit === 'turns' ? 'its share of the model calls (--max-turns) is used up' : limitText(stop),
        isLimit: true,
      }
    case 'budget':
      return { reason: 'its share of the budget (--max-budget-usd) is used up', isLimit: true }
    case 'error':
      return { reason: stop.error.message }
  }
}
