import { describe, expect, it } from 'vitest'
import { unreadOf } from '../../src/team/state.ts'
import { teamToolHarness, teamToolsOf } from '../../src/testing/harnesses/team-tool-harness.ts'

describe('team tools', () => {
  it('answers no request without its id while several are open', async () => {
    const lead = await teamToolHarness('lead')
    for (const name of ['ada', 'bob'])
      await teamToolsOf(lead.control, name).ok('SendMessage', { type: 'plan_approval_request', content: name })
    await lead.call('SendMessage', { type: 'plan_approval_response', approve: true })
    const requests = [...lead.control.team().state.requests.values()]
    expect(requests.map(({ from, state }) => `${from} ${state}`)).toEqual(['ada pending', 'bob pending'])
  }) // F29

  it('delivers only the mail that read_inbox shows', async () => {
    const lead = await teamToolHarness('lead', 'simple')
    const ada = teamToolsOf(lead.control, 'ada', 'simple')
    for (const character of ['a', 'b', 'c'])
      await ada.ok('send_message', { to: 'lead', content: character.repeat(25_000) })
    const { text, mail } = await lead.call('read_inbox')
    const shown = unreadOf(lead.control.team().state, 'lead').filter(({ message }) =>
      text.includes(message.content.slice(0, 100)),
    )
    expect(shown.length).toBeGreaterThan(0)
    expect(mail).toEqual(shown.map(({ message }) => message.id))
  }) // F2

  it('completes a task only when every other change of the call is accepted', async () => {
    const ada = await teamToolHarness('ada')
    await ada.ok('TaskCreate', { subject: 'one', description: '' })
    await ada.ok('TaskUpdate', { taskId: '1', status: 'in_progress' })
    await ada.no('TaskUpdate', { taskId: '1', status: 'completed', result: 'done', priority: 9 })
    expect(ada.control.team().state.tasks.get('1')?.status).toBe('in_progress')
  })
})
