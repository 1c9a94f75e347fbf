import { describe, expect, it } from 'vitest'
import { messageTypes } from '../../../team/message.ts'
import { memberNamed, unreadOf } from '../../../team/state.ts'
import { type TeamToolHarness, teamToolHarness, teamToolsOf } from '../../../testing/harnesses/team-tool-harness.ts'

/** The unread messages of a member, without its first prompt. */
const mailOf = ({ control }: TeamToolHarness, name: string, team?: string) =>
  unreadOf(control.team(team).state, name)
    .map(({ message }) => message)
    .filter(({ content }) => content !== `You are ${name}.`)

describe('SendMessage', () => {
  it('sends a message to one member, with the sender set by the runtime', async () => {
    const ada = await teamToolHarness('ada')
    expect(await ada.ok('SendMessage', { recipient: 'bob', content: 'your API?' })).toBe(
      'Sent message to bob (starting; read before its next step).',
    )
    expect(await ada.ok('SendMessage', { to: 'lead', content: 'done' })).toBe(
      'Sent message to lead (idle; this wakes it).',
    )
    expect(mailOf(ada, 'bob')).toMatchObject([{ from: 'ada', to: 'bob', type: 'message', content: 'your API?' }])
    for (const forged of [{ from: 'lead' }, { sender: 'lead' }]) {
      expect(await ada.no('SendMessage', { to: 'bob', content: 'x', ...forged })).toContain(
        '(the sender is set by the runtime)',
      )
    }
    expect(mailOf(ada, 'bob')).toHaveLength(1)
  }) // A66, A67, F5

  it('refuses an unknown recipient and creates no mailbox for it', async () => {
    const lead = await teamToolHarness('lead')
    expect(await lead.no('SendMessage', { recipient: 'eve', content: 'x' })).toBe(
      'No member of this team is called eve. Members: lead, ada, bob.',
    )
    expect(await lead.no('SendMessage', { recipient: '../eve', content: 'x' })).toContain('is not a name')
    await lead.control.team().run({ type: 'member.stop', name: 'bob' })
    expect(await lead.no('SendMessage', { recipient: 'bob', content: 'x' })).toContain('bob has stopped')
    expect([...lead.control.team().state.mailboxes.keys()].filter((name) => name.includes('eve'))).toEqual([])
  }) // A67, F13, B7

  it('names the message types when one is wrong, without those of the runtime', async () => {
    const lead = await teamToolHarness('lead')
    const wrong = await lead.no('SendMessage', { recipient: 'ada', content: 'x', type: 'poke' })
    expect(wrong).toContain("'poke' is not a message type. Use one of: message, broadcast, shutdown_request,")
    expect(wrong).not.toContain('idle_notification')
    for (const type of ['result', 'idle_notification', 'error'])
      expect(await lead.no('SendMessage', { recipient: 'ada', content: 'x', type })).toContain('by the runtime only')
    expect(await lead.ok('SendMessage', { recipient: 'ada', content: '{"task":"1"}', type: 'dev_progress' })).toContain(
      'Sent dev_progress to ada',
    )
  }) // A65

  it('sends every type except those of the runtime', async () => {
    const lead = await teamToolHarness('lead')
    const [ada, bob] = [teamToolsOf(lead.control, 'ada'), teamToolsOf(lead.control, 'bob')]
    const control = new Set<string>()
    await lead.ok('SendMessage', { type: 'shutdown_request', to: 'ada', reason: 'enough' })
    await ada.ok('SendMessage', { type: 'shutdown_response', approve: false, reason: 'not yet' })
    await bob.ok('SendMessage', { type: 'plan_approval_request', content: 'I dig.' })
    await lead.ok('SendMessage', { type: 'plan_approval_response', to: 'bob', approve: true, feedback: 'dig' })
    for (const name of ['lead', 'ada', 'bob'])
      for (const { type, request_id } of mailOf(lead, name)) if (request_id !== undefined) control.add(type)
    // The plan was answered, so its request is read; what it asked for is what the answer names.
    expect([...control].sort()).toEqual(['plan_approval_response', 'shutdown_response'])
    const { requests } = lead.control.team().state
    expect([...requests.values()].map(({ kind, state }) => [kind, state])).toEqual([
      ['shutdown', 'rejected'],
      ['plan_approval', 'approved'],
    ])
    const isControl = (type: string) => /^(shutdown|plan_approval)_/.test(type)
    for (const type of messageTypes().filter((one) => !isControl(one))) {
      const input = { recipient: 'ada', content: `[${type}]`, type }
      if (['result', 'idle_notification', 'error'].includes(type)) {
        expect(await lead.no('SendMessage', input)).toContain('by the runtime only')
        continue
      }
      await lead.ok('SendMessage', input)
      const message = mailOf(lead, 'ada').at(-1)
      expect(message).toMatchObject({ type, from: 'lead', content: `[${type}]` })
      expect(Object.keys(message!)).toEqual(
        expect.arrayContaining(['id', 'type', 'from', 'to', 'content', 'timestamp']),
      )
    }
  }) // B15, B52

  it('names missing fields and fields that do not belong to the type', async () => {
    const lead = await teamToolHarness('lead')
    expect(await lead.no('SendMessage', { content: 'x' })).toContain('recipient: is needed')
    expect(await lead.no('SendMessage', { recipient: 'ada' })).toContain('content: is needed')
    expect(await lead.no('SendMessage', { recipient: 'ada', content: 'ok', approve: true })).toContain(
      'approve does not go with a message of type message',
    )
    expect(
      await lead.ok('SendMessage', { recipient: 'ada', reason: 'instead', approve: null, feedback: '' }),
    ).toContain('Sent message to ada')
  })

  it('broadcasts to all other members of one team, whatever the recipient', async () => {
    const lead = await teamToolHarness('lead')
    await lead.ok('TeamCreate', { name: 'api' })
    await lead.control.spawn({ name: 'eve', prompt: 'You are eve.' })
    expect(
      await lead.ok('SendMessage', { type: 'broadcast', recipient: 'anyone', content: 'hi', team_name: 'own' }),
    ).toBe('Broadcast sent to 2 in your team: ada, bob.')
    expect(await lead.ok('SendMessage', { type: 'broadcast', content: 'all of api' })).toBe(
      "Broadcast sent to 1 in team 'api': eve.",
    )
    expect(mailOf(lead, 'ada').map(({ content }) => content)).toEqual(['hi'])
    const ada = teamToolsOf(lead.control, 'ada')
    expect(await ada.ok('SendMessage', { recipient: 'all', content: 'me too' })).toContain('2 in your team: lead, bob.')
  }) // A66, A68, F16

  it('finds a member in another team of the lead, but not outside a teammate’s team', async () => {
    const lead = await teamToolHarness('lead')
    await lead.ok('TeamCreate', { name: 'api' })
    expect(await lead.ok('SendMessage', { recipient: 'ada', content: 'still there?' })).toContain('Sent message to ada')
    expect(mailOf(lead, 'ada')).toHaveLength(1)
    expect(await lead.no('SendMessage', { recipient: 'ada', content: 'x', team_name: 'api' })).toContain('No member')
    expect(await lead.no('SendMessage', { recipient: 'ada', content: 'x', team_name: 'ops' })).toBe(
      "Team 'ops' not found. You are in: own, api. Leave team_name out.",
    )
    const ada = teamToolsOf(lead.control, 'ada')
    expect(await ada.no('SendMessage', { recipient: 'lead', content: 'x', team_name: 'api' })).toContain('not found')
  }) // A59

  it('marks an urgent message', async () => {
    const ada = await teamToolHarness('ada')
    expect(await ada.ok('SendMessage', { recipient: 'bob', content: 'stop', urgent: true })).toContain('interrupted')
    expect(mailOf(ada, 'bob')).toMatchObject([{ urgent: true }])
  })
})

describe('a shutdown', () => {
  it('is a request with an id, a reason and a deadline, answered by its recipient', async () => {
    const lead = await teamToolHarness('lead')
    const ada = teamToolsOf(lead.control, 'ada')
    expect(await ada.no('SendMessage', { type: 'shutdown_request', recipient: 'bob' })).toContain('Only the lead')
    expect(
      await lead.ok('SendMessage', {
        type: 'shutdown_request',
        recipient: 'ada',
        reason: 'phase_complete',
        deadline_seconds: 45,
      }),
    ).toBe('Shutdown request r1 sent to ada (pending, 45 s to answer). You are told how it ends.')
    expect(mailOf(lead, 'ada')).toMatchObject([
      { type: 'shutdown_request', content: 'phase_complete', request_id: 'r1' },
    ])
    expect(await ada.no('SendMessage', { type: 'shutdown_response' })).toContain('approve: is needed')
    const answer = { approve: true, status: 'in_progress', pending_work: ['tests'], artifacts_committed: false }
    expect(await ada.ok('SendMessage', { type: 'shutdown_response', ...answer, reason: 'wrapped up' })).toBe(
      'Shutdown approved (request r1); lead is told. You stop after this turn: begin nothing new.',
    )
    const { state } = lead.control.team()
    expect(state.requests.get('r1')).toMatchObject({
      state: 'approved',
      feedback: 'wrapped up',
      status: 'in_progress',
      pendingWork: ['tests'],
      artifactsCommitted: false,
    })
    expect(memberNamed(state, 'ada')?.status).toBe('stopping')
    expect(await ada.no('SendMessage', { type: 'shutdown_response', approve: false, request_id: 'r1' })).toContain(
      'already approved',
    )
  }) // B21, B22

  it.each([
    [{ approved: true, final_status: 'complete' }, 'approved', 'clean'],
    [{ approved: true, final_status: 'idle', approve: true, status: 'clean' }, 'approved', 'clean'],
    [{ approved: true, final_status: 'in_progress', pending_work: ['tests'] }, 'approved', 'in_progress'],
    [{ approved: false, final_status: 'in_progress', reason: 'one test left' }, 'rejected', 'in_progress'],
    [{ approve: true, final_status: 'idle' }, 'approved', 'clean'],
    [{ approved: true, status: 'error' }, 'approved', 'error'],
    [{ approved: true, final_status: '' }, 'approved', null],
  ])('is answered by %j, the names of later versions of the source, too', async (answer, state, status) => {
    const lead = await teamToolHarness('lead')
    const ada = teamToolsOf(lead.control, 'ada')
    await lead.ok('SendMessage', { type: 'shutdown_request', to: 'ada' })
    await ada.ok('SendMessage', { type: 'shutdown_response', request_id: 'r1', ...answer })
    expect(lead.control.team().state.requests.get('r1')).toMatchObject({ state, status })
  }) // C25

  it.each([
    [{ approve: true, approved: false }, 'approved: is false and approve is true: give one of them'],
    [{ approve: false, approved: true, status: 'clean' }, 'approved: is true and approve is false'],
    [{ approved: true, status: 'error', final_status: 'complete' }, 'which means clean, and status is error'],
    [{ approved: true, status: 'clean', final_status: 'in_progress' }, 'which means in_progress, and status is clean'],
    [{ approved: true, final_status: 'clean' }, 'final_status: is "clean". Use complete, idle or in_progress'],
    [{ approved: true, final_status: 3 }, 'final_status: is 3'],
    [{ approved: 'yes' }, 'approve'],
  ])('is not answered by %j: the error names what contradicts', async (answer, named) => {
    const lead = await teamToolHarness('lead')
    const ada = teamToolsOf(lead.control, 'ada')
    await lead.ok('SendMessage', { type: 'shutdown_request', to: 'ada' })
    expect(await ada.no('SendMessage', { type: 'shutdown_response', request_id: 'r1', ...answer })).toContain(named)
    expect(lead.control.team().state.requests.get('r1')).toMatchObject({ state: 'pending' })
  }) // C25

  it('may be rejected with a reason, and the sender can read its state', async () => {
    const lead = await teamToolHarness('lead')
    const look = () => lead.ok('SendMessage', { type: 'shutdown_response', request_id: 'r1' })
    expect(await lead.ok('SendMessage', { type: 'shutdown_request', to: 'ada' })).toContain('30 s to answer')
    expect(mailOf(lead, 'ada')[0]?.content).toBe('Please shut down gracefully.')
    expect(await look()).toBe('Request r1 (shutdown, to ada): pending. You are told when it is answered.')
    const ada = teamToolsOf(lead.control, 'ada')
    expect(
      await ada.ok('SendMessage', { type: 'shutdown_response', approve: false, reason: 'one test left' }),
    ).toContain('Shutdown rejected (request r1); lead is told why.')
    expect(await look()).toBe('Request r1 (shutdown, to ada): rejected by ada: one test left.')
    expect(await lead.no('SendMessage', { type: 'shutdown_response', request_id: 'r9' })).toBe(
      'There is no request r9. No shutdown request waits for your answer.',
    )
    expect(memberNamed(lead.control.team().state, 'ada')?.status).toBe('starting')
  }) // B22, B23
})

describe('a plan', () => {
  it('goes to the lead as a request, and one answer comes back', async () => {
    const lead = await teamToolHarness('lead')
    const ada = teamToolsOf(lead.control, 'ada')
    expect(await ada.ok('SendMessage', { type: 'plan_approval', plan: 'first this, then that' })).toBe(
      'Plan submitted to lead (request r1, pending). End your turn: the decision wakes you.',
    )
    expect(mailOf(lead, 'lead')).toMatchObject([{ type: 'plan_approval_request', from: 'ada', request_id: 'r1' }])
    expect(await ada.no('SendMessage', { type: 'plan_approval_request', content: 'again' })).toContain('still open')
    expect(
      await lead.ok('SendMessage', { type: 'plan_approval_response', approve: false, feedback: 'that first' }),
    ).toBe('Plan of ada rejected (request r1); ada is told.')
    expect(mailOf(lead, 'ada')).toMatchObject([
      { type: 'plan_approval_response', content: 'that first', approve: false, request_id: 'r1', from: 'lead' },
    ])
    expect(await lead.no('SendMessage', { type: 'plan_approval_response', approve: true })).toBe(
      'No plan approval request waits for your answer.',
    )
    expect(await lead.no('SendMessage', { type: 'plan_approval_response', recipient: 'ada' })).toContain('approve:')
  }) // A66, B24, B42

  it('is never guessed where several are open: they are listed', async () => {
    const lead = await teamToolHarness('lead')
    for (const name of ['ada', 'bob'])
      await teamToolsOf(lead.control, name).ok('SendMessage', {
        type: 'plan_approval_request',
        content: `${name}’s plan`,
      })
    const answer = { type: 'plan_approval_response', approve: true }
    expect(await lead.no('SendMessage', answer)).toBe(
      'Which request do you answer? Name its request_id. These wait for your answer: r1 from ada (ada’s plan), r2 from bob (bob’s plan).',
    )
    expect(await lead.no('SendMessage', { ...answer, request_id: 'r1', recipient: 'bob' })).toContain('r1 is from ada')
    expect(await lead.ok('SendMessage', { ...answer, recipient: 'bob' })).toBe(
      'Plan of bob approved (request r2); bob is told. These wait for your answer: r1 from ada (ada’s plan).',
    )
    expect(await lead.no('SendMessage', { ...answer, type: 'shutdown_response', request_id: 'r1' })).toContain(
      'r1 is about plan approval, not about shutdown',
    )
    expect(await lead.ok('SendMessage', { ...answer, request_id: 'r1' })).toContain('Plan of ada approved')
  }) // F29

  it('is found in the team it was submitted in, or team_name is required', async () => {
    const lead = await teamToolHarness('lead')
    await teamToolsOf(lead.control, 'ada').ok('SendMessage', { type: 'plan_approval_request', content: 'in web' })
    await lead.ok('TeamCreate', { name: 'api' })
    await lead.control.spawn({ name: 'eve', prompt: 'You are eve.' })
    await lead.control
      .membershipOf('eve', 'api')
      .run({ type: 'request.open', kind: 'plan_approval', to: 'lead', content: 'in api' })
    const answer = { type: 'plan_approval_response', approve: true, request_id: 'r1' }
    expect(await lead.no('SendMessage', answer)).toContain('in each of the teams own, api. Name its team_name.')
    expect(await lead.ok('SendMessage', { ...answer, recipient: 'ada' })).toContain('Plan of ada approved')
    expect(await lead.ok('SendMessage', { ...answer, team_name: 'api' })).toContain('Plan of eve approved')
  }) // F29
})

describe('the simple spelling', () => {
  it('sends with to and msg_type, and uses these names in errors', async () => {
    const ada = await teamToolHarness('ada', 'simple')
    expect(await ada.ok('send_message', { to: 'bob', content: 'hi' })).toContain('Sent message to bob')
    expect(await ada.no('send_message', { content: 'hi' })).toContain('to: is needed')
    expect(await ada.no('send_message', { to: 'bob', content: 'hi', msg_type: 'poke' })).toContain(
      "msg_type: 'poke' is not a message type. Use one of: message, broadcast,",
    )
    expect(mailOf(ada, 'bob')).toMatchObject([{ type: 'message', from: 'ada', content: 'hi' }])
    const lead = teamToolsOf(ada.control, 'lead', 'simple')
    const ask = { to: 'ada', content: 'enough', msg_type: 'shutdown_request' }
    expect(await lead.ok('send_message', ask)).toContain('Shutdown request r1 sent to ada')
    expect(await ada.ok('send_message', { msg_type: 'shutdown_response', approve: true, content: 'bye' })).toContain(
      'Shutdown approved (request r1)',
    )
  }) // B6, D4

  it('broadcasts to all teammates but those who have stopped, and says how many', async () => {
    const lead = await teamToolHarness('lead', 'simple')
    await lead.control.team().run({ type: 'member.stop', name: 'bob' })
    expect(await lead.ok('broadcast', { content: 'phase 1 complete' })).toBe('Broadcast sent to 1 in your team: ada.')
    await lead.control.team().run({ type: 'member.stop', name: 'ada' })
    expect(await lead.no('broadcast', { content: 'x' })).toBe('There are no other members in your team.')
  }) // B9, D6, F13

  it('delivers messages with read_inbox, no more than fit into the result', async () => {
    const lead = await teamToolHarness('lead', 'simple')
    expect(await lead.call('read_inbox')).toEqual({ text: 'No new mail.' })
    const ada = teamToolsOf(lead.control, 'ada', 'simple')
    for (const content of ['one', 'two', 'x'.repeat(60_000), 'three'])
      await ada.ok('send_message', { to: 'lead', content })
    const ids = mailOf(lead, 'lead').map(({ id }) => id)
    const { text, mail } = await lead.call('read_inbox')
    expect(text).toBe(
      '<message from="ada" type="message">\none\n</message>\n<message from="ada" type="message">\ntwo\n</message>\n[2 more wait; call read_inbox again]',
    )
    expect(mail).toEqual(ids.slice(0, 2))
  }) // B8

  it('lists teammates with role, state and task', async () => {
    const lead = await teamToolHarness('lead', 'simple')
    await lead.ok('TaskCreate', { subject: 'one', description: '' })
    await teamToolsOf(lead.control, 'ada').ok('TaskUpdate', { taskId: '1', status: 'in_progress' })
    const lines = (await lead.ok('list_teammates')).split('\n')
    expect(lines[0]).toBe('In your team: 2 teammates')
    expect(lines[1]).toMatch(/^ {2}ada \(dev\): \w+, on task #1$/)
    expect(lines[2]).toBe('  bob (tester): starting')
  }) // B10
})
