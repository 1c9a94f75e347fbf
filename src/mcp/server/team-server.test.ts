import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openTeam } from '../../journal/team-handle.ts'
import { heldBy, unreadOf } from '../../team/state.ts'
import { type ConnectedCaller, type McpHarness, mcpHarness } from '../../testing/harnesses/mcp-harness.ts'

let harness: McpHarness
let ada: ConnectedCaller
beforeEach(async () => {
  harness = await mcpHarness()
  await harness.join('ada')
  ada = await harness.connect('ada')
})
afterEach(() => harness[Symbol.asyncDispose]())

const add = (...subjects: string[]) =>
  harness.team.run({ type: 'task.add', tasks: subjects.map((subject) => ({ subject })) })
const send = (to: string, content: string) => harness.team.send({ to, content })
const unread = (name: string) => unreadOf(harness.team.state, name).map(({ message }) => message.content)

describe('the tools of the server', () => {
  it('are listed with what each takes and returns', async () => {
    const { tools } = await ada.client.listTools()
    expect(tools.map(({ name }) => name).sort()).toEqual([
      'inbox',
      'leave',
      'message_broadcast',
      'message_send',
      'request_answer',
      'requests',
      'task_claim',
      'task_complete',
      'task_create',
      'task_fail',
      'task_get',
      'task_list',
      'task_release',
      'task_renew',
      'task_update',
      'team_status',
      'wait_for_news',
    ])
    for (const { name, description, outputSchema, inputSchema } of tools) {
      expect([name, description?.length, outputSchema?.type, inputSchema.type]).toEqual([
        name,
        expect.any(Number),
        'object',
        'object',
      ])
    }
    expect(ada.client.getInstructions()).toContain('team web')
  })

  it('let a caller leave: its task is free, its mail returns, its token is void, later mail bounces', async () => {
    await harness.join('bob')
    const bob = await harness.connect('bob')
    await add('one')
    await ada.call('task_claim')
    await bob.call('message_send', { to: 'ada', content: 'hello' })
    const { data, text } = await ada.call('leave', { reason: 'the shift is over' })
    expect(data).toEqual({ name: 'ada', released: '1', returned: 1 })
    expect(text).toBe('ada has left the team. Task 1 is free again. 1 unread returned to their senders.')
    expect(harness.team.state.tasks.get('1')).toMatchObject({ status: 'pending' })
    expect(unread('bob')).toHaveLength(1)
    for (const tool of ['task_claim', 'inbox', 'leave', 'team_status'])
      expect([tool, (await ada.call(tool)).error]).toEqual([tool, 'member_stopped'])
    const late = await bob.call('message_send', { to: 'ada', content: 'still there?' })
    expect(late.text).toContain('ada')
    expect(unread('ada')).toEqual([])
    expect((await bob.call('task_claim')).data.task).toMatchObject({ id: '1', owner: 'bob' })
  })

  it('work the board: create, list, get, claim, update, renew, complete with the next, fail, release', async () => {
    const { data } = await ada.call('task_create', { subject: 'Write the parser', files: ['src/parser/'] })
    expect(data.task).toMatchObject({ id: '1', status: 'pending', createdBy: 'ada', files: ['src/parser/'] })
    await ada.call('task_create', { subject: 'Test it', blockedBy: ['1'] })
    const listed = await ada.call('task_list')
    expect(listed.data).toMatchObject({ total: 2, tasks: [{ id: '1' }, { id: '2', waitsFor: ['1'] }] })
    expect(listed.text).toContain('#2 Test it (pending, waits for 1)')
    expect((await ada.call('task_list', { ready: true })).data).toMatchObject({ total: 1, tasks: [{ id: '1' }] })
    expect((await ada.call('task_get', { id: '2' })).data.task).toMatchObject({ id: '2', blockedBy: ['1'] })
    expect((await ada.call('task_claim')).data).toMatchObject({ task: { id: '1', owner: 'ada' }, earlierAttempts: [] })
    expect((await ada.call('task_update', { id: '1', description: 'LL(1)' })).data.task.description).toBe('LL(1)')
    expect((await ada.call('task_renew', { id: '1' })).data.task.leaseUntil).toBe(harness.clock.now() + 600)
    const done = await ada.call('task_complete', { id: '1', result: 'all green', next: true })
    expect(done.data).toMatchObject({
      task: { status: 'completed', result: 'all green' },
      next: { id: '2', owner: 'ada', leaseUntil: harness.clock.now() + 600 },
      unblocked: [],
    })
    expect((await ada.call('task_release', { id: '2', reason: 'lunch' })).data.task.status).toBe('pending')
    await ada.call('task_claim', { id: '2' })
    expect((await ada.call('task_fail', { id: '2', reason: 'no licence' })).data.task).toMatchObject({
      status: 'failed',
    })
    expect((await ada.call('task_claim')).data).toMatchObject({ task: null })
    expect(unread('lead')[0]).toContain('no licence')
  })

  it('send mail and read it, and broadcast', async () => {
    await harness.join('bob')
    const bob = await harness.connect('bob')
    expect((await ada.call('message_send', { to: 'bob', content: 'hi' })).data.deliveries).toEqual([
      { to: 'bob', outcome: 'queued', reason: null },
    ])
    await ada.call('message_broadcast', { content: 'all' })
    expect(unread('lead')).toEqual(['all'])
    const { data, text } = await bob.call('inbox')
    expect(data.messages).toMatchObject([{ from: 'ada', content: 'hi' }, { type: 'broadcast' }])
    expect(text).toContain('<message from="ada" type="message">')
    expect((await ada.call('message_send', { to: 'all', content: 'x' })).error).toBe('invalid')
    expect((await ada.call('message_send', { to: 'ghost', content: 'x' })).error).toBe('unknown_member')
  })

  it('answer requests that were sent to the caller, and no others', async () => {
    const asked = { type: 'request.open', kind: 'shutdown', to: 'ada', content: 'we are done' } as const
    await harness.team.run(asked, { by: { name: 'lead' } })
    expect((await ada.call('requests')).data.toAnswer).toMatchObject([{ id: 'r1', kind: 'shutdown', from: 'lead' }])
    const answered = await ada.call('request_answer', { id: 'r1', approve: true, status: 'clean' })
    expect(answered.data.request).toMatchObject({ id: 'r1', state: 'approved' })
    const plan = await ada.call('message_send', { to: 'lead', content: 'my plan', type: 'plan_approval_request' })
    expect(plan.data.request).toMatchObject({ id: 'r2', kind: 'plan_approval', state: 'pending' })
    expect((await ada.call('request_answer', { id: 'r2', approve: true })).error).toBe('not_allowed')
    expect((await ada.call('requests')).data.waiting).toMatchObject([{ id: 'r2' }])
  })

  it('show the team, and who the caller is in it', async () => {
    await add('one')
    await ada.call('task_claim')
    const { data } = await ada.call('team_status')
    expect(data).toMatchObject({
      team: 'web',
      you: { name: 'ada', role: 'dev' },
      tasks: { in_progress: 1 },
      members: [{ name: 'lead' }, { name: 'ada', kind: 'external', task: { id: '1' } }],
    })
  })

  it('return refusals as errors with code and details, and the next step', async () => {
    await add('one', 'two')
    await ada.call('task_claim')
    const { error, data, text } = await ada.call('task_claim', { id: '2' })
    expect(error).toBe('holds_another')
    expect(data).toMatchObject({ code: 'holds_another', details: { member: 'ada', task: '1' } })
    expect(text).toContain('Complete, fail or release task 1 first.')
    const raw = await ada.client.callTool({ name: 'task_claim', arguments: { id: '2' } })
    expect(raw.structuredContent, 'clients check it against the schema of the tool').toBeUndefined()
    expect((await ada.call('task_update', { id: '2', assignee: 'lead' })).text).toContain('message_send to lead')
    for (const id of ['../../etc/passwd', '__proto__', '99', 'constructor'])
      expect([id, (await ada.call('task_get', { id })).error]).toEqual([id, 'unknown_task'])
    for (const to of ['../x', '..', 'a/b', 'lead\u0000'])
      expect([to, (await ada.call('message_send', { to, content: 'x' })).error]).toEqual([to, 'unknown_member'])
    expect((await ada.call('message_send', { to: 'lead', content: 'x'.repeat(1024 * 1024 + 1) })).error).toBe(
      'too_large',
    )
  })

  it('return no secret and no sign that a terminal acts on', async () => {
    await send('ada', 'key sk-ant-api03-abcdefghijklmnopqrstuvwxyz \u001b[2J\u202e')
    const { data, text } = await ada.call('inbox')
    for (const shown of [data.messages[0].content, text]) {
      expect(shown).not.toContain('sk-ant-api03')
      expect(shown).not.toMatch(/\p{Cc}(?<!\n)|\u202e/u)
    }
  })

  it('are refused to a caller with a wrong token, and as soon as a newer token is issued', async () => {
    for (const token of ['dmt_wrong', '', undefined]) {
      const stranger = await harness.connect('ada', token ?? '')
      for (const { name } of (await ada.client.listTools()).tools) {
        const input = { id: '1', subject: 'x', to: 'lead', content: 'x', approve: true, reason: 'x', seconds: 0 }
        expect([name, (await stranger.call(name, input)).error]).toEqual([name, 'wrong_token'])
      }
    }
    const before = await ada.call('team_status')
    expect(before.error).toBeUndefined()
    await harness.team.run({ type: 'token.issue', member: 'ada', hash: 'a'.repeat(64) })
    expect((await ada.call('team_status')).error).toBe('wrong_token')
    expect((await harness.connect('lead', 'x').then((lead) => lead.call('task_list'))).error).toBe('not_allowed')
  })
})

describe('a claim by MCP', () => {
  it('ends ten minutes after the last call of its owner, and its task is free', async () => {
    await add('one')
    await harness.join('bob')
    const bob = await harness.connect('bob')
    await ada.call('task_claim')
    harness.clock.advance(599)
    expect((await bob.call('task_claim')).data.task).toBeNull()
    harness.clock.advance(2)
    expect((await bob.call('task_claim')).data.task).toMatchObject({ id: '1', owner: 'bob' })
    const late = await ada.call('task_complete', { id: '1' })
    expect(late.error).toBe('not_owner')
  })

  it('is renewed by any call of its owner, not by calls of others', async () => {
    await add('one')
    await harness.join('bob')
    const bob = await harness.connect('bob')
    await ada.call('task_claim')
    for (const name of ['team_status', 'task_list', 'inbox', 'requests', 'wait_for_news', 'message_send']) {
      harness.clock.advance(500)
      await ada.call(name, { seconds: 0, to: 'lead', content: 'x' })
      expect([name, heldBy(harness.team.state, 'ada')]).toMatchObject([name, { leaseUntil: harness.clock.now() + 600 }])
    }
    harness.clock.advance(500)
    await bob.call('team_status')
    expect(heldBy(harness.team.state, 'ada')).toMatchObject({ leaseUntil: harness.clock.now() + 100 })
  })

  it('is not written again by calls that follow each other at once', async () => {
    await add('one')
    await ada.call('task_claim')
    const before = harness.team.cursor.seq
    for (let i = 0; i < 10; i++) await ada.call('team_status')
    expect(harness.team.cursor.seq).toBe(before)
  })
})

describe('wait_for_news', () => {
  it('returns at once with what is there, and waits otherwise until mail comes', async () => {
    const waiting = ada.call('wait_for_news')
    await until(() => harness.clock.next !== undefined)
    await send('ada', 'build is red')
    const { data } = await waiting
    expect(data).toMatchObject({ timedOut: false, messages: [{ content: 'build is red' }], held: null, ready: [] })
  })

  it('returns when a task is ready or assigned, and not again for a task that is known', async () => {
    const ready = ada.call('wait_for_news')
    await until(() => harness.clock.next !== undefined)
    await add('one')
    expect((await ready).data).toMatchObject({ timedOut: false, ready: [{ id: '1' }] })
    const next = ada.call('wait_for_news', { knownTasks: ['1'] })
    await until(() => harness.clock.next !== undefined)
    await harness.team.run({ type: 'task.add', tasks: [{ subject: 'yours', assignee: 'ada' }] })
    const { data, text } = await next
    expect(data.ready.map(({ id }: { id: string }) => id)).toEqual(['2', '1'])
    expect(text).toBe('Assigned to you: #2 yours. Use task_claim.')
  })

  it('returns when the lease of another member ends', async () => {
    await add('one')
    await harness.join('bob')
    await (await harness.connect('bob')).call('task_claim')
    harness.clock.advance(570)
    const waiting = ada.call('wait_for_news')
    await until(() => harness.clock.next !== undefined)
    harness.clock.advance(31)
    expect((await waiting).data).toMatchObject({ timedOut: false, ready: [{ id: '1' }] })
  })

  it('waits on while the lease of another member is over whose task the caller cannot take', async () => {
    await harness.team.run({ type: 'task.add', tasks: [{ subject: 'one', role: 'qa' }] })
    await harness.join('bob', 'qa')
    await (await harness.connect('bob')).call('task_claim')
    harness.clock.advance(700)
    const waiting = ada.call('wait_for_news')
    await until(() => harness.clock.next !== undefined)
    expect(harness.clock.next, 'not now, which would repeat without an end').toBe(harness.clock.now() + 50)
    harness.clock.advance(50)
    expect((await waiting).data.timedOut).toBe(true)
  })

  it('gives no mail to a caller whose token was replaced while it waited', async () => {
    const waiting = ada.call('wait_for_news')
    await until(() => harness.clock.next !== undefined)
    await harness.team.run({ type: 'token.issue', member: 'ada', hash: 'a'.repeat(64) })
    await send('ada', 'secret')
    expect((await waiting).error).toBe('wrong_token')
    expect(unreadOf(harness.team.state, 'ada')).toMatchObject([{ taken: null }])
  })

  it('ends after 50 seconds of the clock, or earlier if asked to', async () => {
    const waiting = ada.call('wait_for_news')
    await until(() => harness.clock.next !== undefined)
    expect(harness.clock.next).toBe(harness.clock.now() + 50)
    harness.clock.advance(50)
    expect((await waiting).data).toMatchObject({ timedOut: true, messages: [] })
    expect((await ada.call('wait_for_news', { seconds: 0 })).data.timedOut).toBe(true)
    await expect(ada.call('wait_for_news', { seconds: 51 })).rejects.toThrow()
  })

  it('ends when its caller cancels it, and takes no mail that comes later', async () => {
    const cancel = new AbortController()
    const waiting = ada.call('wait_for_news', {}, cancel.signal).catch(() => 'cancelled')
    await until(() => harness.clock.next !== undefined)
    cancel.abort()
    expect(await waiting).toBe('cancelled')
    await until(() => harness.clock.next === undefined)
    await send('ada', 'later')
    expect(unreadOf(harness.team.state, 'ada')).toMatchObject([{ taken: null }])
  })
})

describe('a message', () => {
  it('counts as delivered only when a later call names its id', async () => {
    await send('ada', 'one')
    const first = await ada.call('wait_for_news')
    const [{ id }] = first.data.messages
    expect(unread('ada')).toEqual(['one'])
    const again = await ada.call('wait_for_news')
    expect(again.data.messages).toMatchObject([{ id, redelivered: true }])
    await send('ada', 'two')
    const named = await ada.call('inbox', { received: [id] })
    expect(named.data).toMatchObject({ confirmed: [id], messages: [{ content: 'two' }] })
    expect(unread('ada')).toEqual(['two'])
    expect((await ada.call('inbox', { received: [id, 'unknown'] })).data.confirmed).toEqual([])
  })

  it('is named by its own recipient only', async () => {
    await harness.join('bob')
    const bob = await harness.connect('bob')
    await send('ada', 'one')
    const [{ id }] = (await ada.call('inbox')).data.messages
    expect((await bob.call('inbox', { received: [id] })).data.confirmed).toEqual([])
    expect(unread('ada')).toEqual(['one'])
  })

  it('comes with as many others as fit, and the rest is counted', async () => {
    for (let i = 0; i < 4; i++) await send('ada', `${i}${'x'.repeat(40_000)}`)
    const { data } = await ada.call('inbox')
    expect([data.messages.length, data.more]).toEqual([2, 2])
    const ids = data.messages.map(({ id }: { id: string }) => id)
    const next = await ada.call('inbox', { received: ids })
    expect(next.data.messages.map(({ content }: { content: string }) => content[0])).toEqual(['2', '3'])
  })

  it('that another process of the same member was given does not come here while that process lives', async () => {
    await send('ada', 'one')
    const other = await openTeam(harness.store, 'web', { clock: harness.clock })
    await other.refresh()
    await other.run({ type: 'mail.take', member: 'ada', taker: 'another-process' }, { by: { name: 'ada' } })
    await other.close()
    const { data, text } = await ada.call('inbox')
    expect(data).toMatchObject({ messages: [], more: 1 })
    expect(text).toContain('another reader')
    expect((await ada.call('wait_for_news', { seconds: 0 })).data.timedOut).toBe(true)
  })
})

async function until(isSo: () => boolean): Promise<void> {
  for (let i = 0; i < 1000 && !isSo(); i++) await new Promise((resolve) => setImmediate(resolve))
  if (!isSo()) throw new Error('it did not come to that')
}
