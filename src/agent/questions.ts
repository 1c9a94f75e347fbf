import type { PermissionQuestion } from '../permissions/permission.ts'

/** What a person is asked before an agent does something that no rule allows. */
export interface Question extends PermissionQuestion {
  /** The agent that wants to do it: `lead`, a teammate by its name, or a subagent: `lead › explore`. */
  readonly agent: string
  readonly team: string
}

/**
 * Asks a person. It may be called again while a question is open: several agents may want something at once. When
 * `signal` aborts the answer is not waited for any more, and does not count.
 */
export type Ask = (question: Question, signal: AbortSignal) => Promise<PersonAnswer>

export type PersonAnswer = { readonly allowed: true } | { readonly allowed: false; readonly why?: string }

/** A plan that a person is to approve before its teammate changes anything. */
export interface PlanQuestion {
  readonly agent: string
  readonly team: string
  readonly plan: string
}

/** As `Ask`, about a plan; a rejection may say what is missing, and the teammate can submit a better plan. */
export type AskPlan = (question: PlanQuestion, signal: AbortSignal) => Promise<PersonAnswer>
