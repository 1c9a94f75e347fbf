import { expect, it } from 'vitest'
import { scriptedModel } from '../models/scripted/scripted-model.ts'
import { createMessageRouting } from '../organisation/routing/message-routing.ts'
import { engineering } from '../testing/harnesses/organisation-harness.ts'
import { openTestSession, runToEnd } from '../testing/harnesses/session-harness.ts'

it('a teammate that repeats a failing call makes it three times, and its superior learns what blocks it', async () => {
  const read = { tool: 'read_file', input: { path: 'missing.ts' } }
  const model = scriptedModel({
    parts: [
      {
        agent: 'lead',
        when: { answer: 1 },
        calls: ['senior', 'dev'].map((role) => ({
          tool: 'Task',
          input: { name: `${role}-1`, role, prompt: 'Go on.' },
        })),
      },
      ...[1, 2, 3, 4, 5].map((answer) => ({ agent: 'dev-1', when: { answer }, calls: [read] })),
      ...['lead', 'senior-1', 'dev-1'].map((agent) => ({ agent, times: 'always' as const, text: 'I see.' })),
    ],
  })
  const routing = createMessageRouting({ organisation: engineering(), department: 'backend', folder: 'phases/03' })
  await using session = await openTestSession({ model, routing })
  const { events } = await runToEnd(session, 'Go', AbortSignal.timeout(60_000))
  const results = events.flatMap((event) =>
    event.type === 'tool_finished' && event.agent === 'dev-1' ? [event.result.text] : [],
  )
  expect(results.map((text) => text.includes('not made again'))).toEqual([false, false, true, true, true])
  expect(
    results.filter((text) => text.startsWith('Not done: the same call of read_file has failed 3 times')),
  ).toHaveLength(2)
  const blockers = events.flatMap((event) =>
    event.type === 'team' && event.event.type === 'message.sent' && event.event.message.content.includes('is blocked')
      ? [event.event.message]
      : [],
  )
  expect(blockers).toMatchObject([{ from: 'dev-1', to: 'senior-1', type: 'error' }])
}) // C69
