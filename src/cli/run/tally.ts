import type { Stop } from '../../runtime/converse/agent-event.ts'
import type { Session, SessionEvent } from '../../session/session.ts'
import type { Usage } from '../../team/usage.ts'
import { wireUsage } from './blocks.ts'
import type { Result } from './envelope.ts'

/** Counts along what the result of a run has to say. */
export interface Tally {
  add(event: SessionEvent): void
  readonly denials: Result['permission_denials']
  /** What is lost or damaged, although the run went on. */
  readonly problems: readonly string[]
  /** Calls of the model by anybody. */
  readonly calls: number
  /** `goOn` is the command that goes on with it, up to the prompt. */
  result(stop: Stop, about: { session_id: string; duration_ms: number; goOn: string; left: Session['left'] }): Result
}

export function createTally(): Tally {
  const usage: { -readonly [Key in keyof Usage]: number } = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }
  const denials: Result['permission_denials'] = []
  const problems: string[] = []
  let cost: number | null = 0
  let turns = 0
  let calls = 0
  const pay = (call: { readonly usage: Usage; readonly cost: number | null }) => {
    for (const key of Object.keys(usage) as (keyof Usage)[]) usage[key] += call.usage[key]
    cost = cost === null || call.cost === null ? null : cost + call.cost
  }
  return {
    denials,
    problems,
    get calls() {
      return calls
    },
    add(event) {
      if (event.type === 'answered') {
        pay(event.reply)
        calls++
        if (event.parent === undefined) turns++
      }
      if (event.type === 'compacted') pay(event)
      if (event.type === 'problem' && !problems.includes(event.text)) problems.push(event.text)
      if (event.type !== 'called' || event.denied === undefined) return
      denials.push({
        tool_name: event.call.toolName,
        tool_use_id: event.call.toolCallId,
        tool_input: event.call.input as Record<string, unknown>,
        agent: event.agent,
        reason: event.denied,
      })
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
      permission_denials: denials,
      ...(left.length > 0 && { tasks_left: left.map((tasks) => ({ ...tasks })) }),
      errors: [...errorsOf(stop, goOn), ...problems],
    }),
  }
}

function subtypeOf(stop: Stop): Result['subtype'] {
  switch (stop.kind) {
    case 'finished':
      return 'success'
    case 'limit':
      return stop.limit === 'turns' ? 'error_max_turns' : 'error_max_output_tokens'
    case 'budget':
      return 'error_max_budget_usd'
    case 'aborted':
      return 'error_interrupted'
    case 'error':
      return 'error_during_execution'
  }
}

/** What a person is told: what stopped it and how to go on. */
export function errorsOf(stop: Stop, again: string): string[] {
  switch (stop.kind) {
    case 'finished':
      return []
    case 'limit':
      return stop.limit === 'turns'
        ? [`It has used the turns it was allowed and is not done. Go on with: ${again} --max-turns N`]
        : [
            `Its answer was cut off at the most it may say at once. Ask it to go on: ${again} 'go on'; or raise maxOutputTokens.`,
          ]
    case 'budget':
      return [`It has used the money it was allowed and is not done. Go on with: ${again} --max-budget-usd N`]
    case 'aborted':
      return [`Interrupted. All of it is kept; go on with: ${again} 'go on'`]
    case 'error':
      return [stop.error.message]
  }
}
