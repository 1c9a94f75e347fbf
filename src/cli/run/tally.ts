import type { Stop } from '../../agent/agent-event.ts'
import type { SessionEvent } from '../../agent/session-event.ts'
import { limitText } from '../../prompts/limit.ts'
import type { Session } from '../../session/session.ts'
import type { Usage } from '../../team/usage.ts'
import { wireUsage } from './blocks.ts'
import { createDenials } from './denials.ts'
import type { Result } from './envelope.ts'
import { createFailures } from './failures.ts'

/** Counts along what the result of a run has to say. */
export interface Tally {
  add(event: SessionEvent): void
  readonly denials: Result['permission_denials']
  /** What is lost or damaged, although the run went on. */
  readonly problems: readonly string[]
  /** What went wrong besides the way the run ended. */
  readonly failures: readonly string[]
  /** Calls of the model by anybody. */
  readonly calls: number
  /** `goOn` is the command that goes on with it, up to the prompt. */
  result(stop: Stop, about: { session_id: string; duration_ms: number; goOn: string; left: Session['left'] }): Result
}

export function createTally(): Tally {
  const usage: { -readonly [Key in keyof Usage]: number } = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }
  const problems: string[] = []
  const denials = createDenials()
  const failures = createFailures()
  let cost: number | null = 0
  let turns = 0
  let calls = 0
  const pay = (call: { readonly usage: Usage; readonly cost: number | null }) => {
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
        pay(event.reply)
        calls++
        if (event.agent === 'lead' && event.parent === undefined) turns++
      }
      if (event.type === 'compacted') pay(event)
      if (event.type === 'problem' && !problems.includes(event.text)) problems.push(event.text)
      if (event.type === 'tool_finished') denials.add(event)
      failures.add(event)
    },
    result: (stop, { session_id, duration_ms, goOn, left }) => ({
      type: 'result',
      subtype: stop.kind === 'finished' && problems.length > 0 ? 'error_during_execution' : subtypeOf(stop),
      is_error: stop.kind !== 'finished' || problems.length > 0,
      result: stop.text,
      session_id,
      agent: 'lead',
      num_turns: turns,
      duration_ms,
      total_cost_usd: cost,
      usage: wireUsage(usage),
      permission_denials: [...denials.list],
      ...(left.length > 0 && { tasks_left: left.map((tasks) => ({ ...tasks })) }),
      errors: [...errorsOf(stop, goOn), ...problems, ...failures.list],
    }),
  }
}

function subtypeOf(stop: Stop): Result['subtype'] {
  switch (stop.kind) {
    case 'finished':
      return 'success'
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

/** What a person is told: what stopped it and how to go on. */
export function errorsOf(stop: Stop, again: string): string[] {
  switch (stop.kind) {
    case 'finished':
      return []
    case 'limit':
      return [limitError(stop, again)]
    case 'budget':
      return [`It has used the money it was allowed and is not done. Go on with: ${again} --max-budget-usd N`]
    case 'aborted':
      return [`Interrupted. All of it is kept; go on with: ${again} 'go on'`]
    case 'error':
      return [stop.error.message]
  }
}

function limitError(stop: Extract<Stop, { kind: 'limit' }>, again: string): string {
  switch (stop.limit) {
    case 'turns':
      return `The agents of this run have made all the model calls they were allowed (--max-turns), and the work is not done. Unfinished work is parked. Go on with: ${again} 'go on' --max-turns N`
    case 'output':
      return `Its answer was cut off at the most it may say at once. Ask it to go on: ${again} 'go on'; or raise maxOutputTokens.`
    case 'failures':
      return `The lead was stopped: ${limitText(stop)}. All of it is kept. Say what to do instead: ${again} 'what to do'`
    default:
      return stop.limit satisfies never
  }
}
