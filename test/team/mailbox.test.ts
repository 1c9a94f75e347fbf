import { describe, expect, it } from 'vitest'
import { unreadOf } from '../../src/team/state.ts'
import { composedModel } from '../../src/testing/harnesses/composed-model.ts'
import { openTestSession, runToEnd } from '../../src/testing/harnesses/session-harness.ts'

describe('the mailbox of a lead', () => {
  it('with 1,000 messages in it still delivers all of them, and the report and notice of a teammate', async () => {
    const { model, requests } = spawningModel()
    await using session = await openTestSession({ model })
    const numbers = Array.from({ length: 1000 }, (_, i) => i)
    await Promise.all(numbers.map((number) => session.team.send({ to: 'lead', content: `[message ${number}]` })))
    await runToEnd(session, 'Go.')
    const conversation = JSON.stringify(requests.findLast(({ agent }) => agent === 'lead')!.turns)
    for (const number of numbers) expect(conversation.split(`[message ${number}]`)).toHaveLength(2)
    expect(conversation).toContain('<message from=\\"ada\\" type=\\"result\\">\\nMy report.')
    expect(conversation).toContain('<message from=\\"ada\\" type=\\"idle_notification\\">')
    expect(unreadOf(session.team.state, 'lead')).toEqual([])
  }) // G1, G4
})

/** The lead spawns ada, who reports and becomes idle. */
function spawningModel() {
  return composedModel(({ agent, turns }) => {
    if (agent !== 'lead') return { text: 'My report.' }
    const spawn = { tool: 'Task', input: { name: 'ada', prompt: 'Look.' } }
    return { text: 'I see.', calls: turns.length === 1 ? [spawn] : [] }
  })
}
