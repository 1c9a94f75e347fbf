import { expect, it } from 'vitest'
import type { SessionEvent } from '../../agent/session-event.ts'
import { createRunSummary } from './run-summary.ts'

const usage = { input: 10, cacheRead: 0, cacheWrite: 0, output: 5 }
const about = { session_id: 's', duration_ms: 1, resumeCommand: () => 'deskmates -r s', left: [] }

function answered(agent: string, cost: number | null, parent?: string): SessionEvent {
  const turn = { role: 'assistant' as const, content: [{ type: 'text' as const, text: 'Done.' }] }
  const reply = { turn, end: 'finished' as const, usage, cost, model: 'scripted' }
  return { type: 'answered', agent, reply, ...(parent !== undefined && { parent }) }
}

function called(agent: string, command: string, denied?: string, byHook = false): SessionEvent {
  const call = { type: 'tool-call' as const, toolCallId: 'c', toolName: 'bash', input: { command } }
  return { type: 'tool_finished', agent, call, result: { text: '' }, ...(denied !== undefined && { denied, byHook }) }
}

function summaryOf(...events: SessionEvent[]) {
  const summary = createRunSummary()
  for (const event of events) summary.add(event)
  return { calls: summary.calls, ...summary.result({ kind: 'finished', text: 'Done.' }, about) }
}

it('the result of a run adds up the cost of all agents and of summaries, and counts turns of the lead', () => {
  const compacted = { type: 'compacted', agent: 'lead', trigger: 'auto', before: 9, after: 1, model: 'm' } as const
  const result = summaryOf(
    answered('lead', 1),
    answered('ada', 2),
    answered('lead/explore-1', 4, 'c'),
    { ...compacted, usage, cost: 8 },
    answered('lead', 16),
  )
  expect(result).toMatchObject({ calls: 4, num_turns: 2, total_cost_usd: 31 })
  expect(result.usage).toMatchObject({ input_tokens: 50, output_tokens: 25 })
})

it('the result of a run has no cost when the cost of one call is unknown', () => {
  expect(summaryOf(answered('lead', 1), answered('ada', null), answered('lead', 1)).total_cost_usd).toBeNull()
})

it('the result of a run with a problem is an error that names the problem once', () => {
  const problem = { type: 'problem', agent: 'lead', text: 'A line is damaged.' } as const
  expect(summaryOf(problem, problem)).toMatchObject({
    is_error: true,
    subtype: 'error_during_execution',
    errors: ['A line is damaged.'],
  })
})

it('a denied call is reported unless the same agent made the same call with permission later', () => {
  const commands = (...events: SessionEvent[]) => summaryOf(...events).permission_denials.length
  const denied = called('ada', 'npm test a', 'no rule allows it')
  expect(commands(denied, called('ada', 'npm test a'))).toBe(0)
  expect(commands(denied, called('bob', 'npm test a'))).toBe(1)
  expect(commands(denied, called('ada', 'npm test b'))).toBe(1)
  // A hook may allow a similar call once its condition is met.
  expect(commands(called('ada', 'npm test a', 'not yet', true), called('ada', 'npm test b'))).toBe(0)
})
