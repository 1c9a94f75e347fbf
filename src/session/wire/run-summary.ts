import type { Stop } from '../../agent/agent-event.ts'
import type { SessionEvent } from '../../agent/session-event.ts'
import { limitText } from '../../prompts/limit.ts'
import type { Usage } from '../../team/members/usage.ts'
import type { Session } from '../session.ts'
import { createDenials } from './denials.ts'
import type { Result } from './envelope.ts'
import { createFailures } from './failures.ts'
import { wireUsage } from './lines.ts'

/** Collects from the events of a run what its result line reports. */
export interface RunSummary {
  add(event: SessionEvent): void
  readonly denials: Result['permission_denials']
  /** Losses and damage that did not end the run. */
  readonly problems: readonly string[]
  /** Lost teammates, failed tasks and broken hooks. */
  readonly failures: readonly string[]
  /** Model calls of all agents. */
  readonly calls: number
  result(stop: Stop, about: RunFacts): Result
}

export interface RunFacts {
  readonly session_id: string
  readonly duration_ms: number
  /** The command that resumes the session, up to the prompt. */
  readonly resumeCommand: ResumeCommand
  readonly left: Session['left']
  /** The last text as the value that was asked for, or why it is not that; undefined where any text is an answer. */
  readonly structured?: StructuredAnswer | undefined
}

export type StructuredAnswer = { readonly value: unknown } | { readonly fault: string }

export function createRunSummary(): RunSummary {
  const usage: { -readonly [Key in keyof Usage]: number } = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }
  const problems: string[] = []
  const denials = createDenials()
  const failures = createFailures()
  let cost: number | null = 0
  let turns = 0
  let calls = 0
  const addUsage = (call: { readonly usage: Usage; readonly cost: number | null }) => {
    for (const key of Object.keys(usage) as (keyof Usage)[]) usage[key] += call.usage[key]
    cost = cost === null || call.cost === null ? null : cost + call.cost
  }
  return {
    problems,
    get denials() {
      return [...denials.list]
    },
    get failures() {
      return failures.list
    },
    get calls() {
      return calls
    },
    add(event) {
      if (event.type === 'answered') {
        addUsage(event.reply)
        calls++
        if (event.agent === 'lead' && event.parent === undefined) turns++
      }
      if (event.type === 'compacted') addUsage(event)
      if (event.type === 'problem' && !problems.includes(event.text)) problems.push(event.text)
      if (event.type === 'tool_finished') denials.add(event)
      failures.add(event)
    },
    result: (stop, { session_id, duration_ms, resumeCommand, left, structured }) => ({
      type: 'result',
      subtype: stop.kind === 'finished' && problems.length > 0 ? 'error_during_execution' : subtypeOf(stop, structured),
      is_error: stop.kind !== 'finished' || problems.length > 0 || isWrong(structured),
      result: stop.text,
      session_id,
      agent: 'lead',
      num_turns: turns,
      duration_ms,
      total_cost_usd: cost,
      usage: wireUsage(usage),
      permission_denials: [...denials.list],
      ...(left.length > 0 && { tasks_left: left.map((tasks) => ({ ...tasks })) }),
      ...(stop.kind === 'finished' && structured && 'value' in structured && { structured_output: structured.value }),
      errors: [...stopErrors(stop, resumeCommand, structured), ...problems, ...failures.list],
    }),
  }
}

function isWrong(structured: StructuredAnswer | undefined): structured is { readonly fault: string } {
  return structured !== undefined && 'fault' in structured
}

function subtypeOf(stop: Stop, structured: StructuredAnswer | undefined): Result['subtype'] {
  switch (stop.kind) {
    case 'finished':
      return isWrong(structured) ? 'error_max_structured_output_retries' : 'success'
    case 'limit':
      return LIMITS[stop.limit]
    case 'budget':
      return 'error_max_budget_usd'
    case 'aborted':
      return 'error_interrupted'
    case 'error':
      return 'error_during_execution'
  }
}

const LIMITS = {
  turns: 'error_max_turns',
  output: 'error_max_output_tokens',
  failures: 'error_repeated_failures',
} as const

/** The command that resumes a run, with a prompt if it takes one. */
export type ResumeCommand = (prompt?: string) => string

/** Why a run stopped before it finished, and the command that resumes it. */
export function stopErrors(stop: Stop, resumeCommand: ResumeCommand, structured?: StructuredAnswer): string[] {
  switch (stop.kind) {
    case 'finished':
      return isWrong(structured) ? [wrongAnswer(structured.fault, resumeCommand)] : []
    case 'limit':
      return [limitError(stop, resumeCommand)]
    case 'budget':
      return [
        `The budget is used up and the work is not finished. Resume it with: ${resumeCommand()} --max-budget-usd N`,
      ]
    case 'aborted':
      return [`Interrupted. Nothing is lost; resume it with: ${resumeCommand("'go on'")}`]
    case 'error':
      return [stop.error.message]
  }
}

function wrongAnswer(fault: string, resumeCommand: ResumeCommand): string {
  return `The answer does not fit the schema of --json-schema, also after the lead was asked to correct it: ${fault}. Its last text is in the result. Use another model (-m) or a simpler schema, or ask again: ${resumeCommand("'answer as the schema says'")} --json-schema SCHEMA`
}

function limitError(stop: Extract<Stop, { kind: 'limit' }>, resumeCommand: ResumeCommand): string {
  switch (stop.limit) {
    case 'turns':
      return `The agents of this run made all the model calls that --max-turns allows, and the work is not finished. Unfinished work is parked. Resume it with: ${resumeCommand("'go on'")} --max-turns N`
    case 'output':
      return `The answer was cut off at the output limit. Ask for the rest: ${resumeCommand("'go on'")}; or raise maxOutputTokens.`
    case 'failures':
      return `The lead was stopped: ${limitText(stop)}. Nothing is lost. Give it another instruction: ${resumeCommand("'what to do'")}`
    default:
      return stop.limit satisfies never
  }
}
