import { appendFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'
import { openTeam } from '../../journal/team-handle.ts'
import { openFileStore } from '../../stores/files/store.ts'

let cli: CommandHarness
beforeEach(async () => {
  cli = commandHarness()
  await cli.ok('team join ada --role dev')
  await cli.ok('team join bob --role qa')
})
afterEach(() => cli.close())

const stdin = (...chunks: (string | Uint8Array)[]) => ({
  stdin: (async function* () {
    for (const chunk of chunks) yield Buffer.from(chunk)
  })(),
})

describe('send', () => {
  it('delivers a message to a mailbox and reports the outcome', async () => {
    const sent = await cli.json('send ada hello')
    expect(sent).toEqual({
      id: sent.id,
      type: 'message',
      from: 'user',
      to: 'ada',
      deliveries: [{ to: 'ada', outcome: 'queued' }],
    })
    expect(await cli.ok('send lead hi --from ada')).toBe('lead: queued\n')
    expect(await cli.json('inbox lead')).toMatchObject([{ from: 'ada', to: 'lead', content: 'hi', type: 'message' }])
    expect(await cli.refused('send ghost hi')).toBe('unknown_member')
    expect((await cli.run('send ghost hi')).stderr).toContain('Members: lead, ada, bob.')
    expect(await cli.refused(['send', 'ada', ''])).toBe('invalid')
  }) // A66, A67

  it('refuses an unsafe recipient with the rule for names and the valid ones, as every command does', async () => {
    const before = cli.read('.teams', 'default', 'journal.jsonl')
    const lines: string[][] = [
      ['send', '../x', 'hi'],
      ['send', 'ada', 'hi', '--from', '../x'],
      ['inbox', '../x'],
      ['inbox', '--take', '../x'],
      ['log', '--member', '../x'],
      ['team', 'leave', '../x'],
      ['answer', 'r1', 'approve', '--as', '../x'],
      ['task', 'add', 'y', '--assignee', '../x'],
      ['task', 'add', 'y', '--as', '../x'],
      ['task', 'update', '1', '--assignee', '../x'],
      ['task', 'update', '1', '--as', '../x'],
      ['task', 'list', '--ready', '--as', '../x'],
      ...['claim', 'renew', 'release', 'complete'].map((verb) => ['task', verb, '1', '--as', '../x']),
      ['task', 'fail', '1', '--reason', 'y', '--as', '../x'],
    ]
    const message =
      '"../x" is not a name: use 1 to 64 of A-Z a-z 0-9 _ -, beginning with a letter or digit. Members: lead, ada, bob.'
    for (const argv of lines) {
      expect({ argv, ...(await cli.run(argv)) }).toEqual({
        argv,
        code: 2,
        stdout: '',
        stderr: `deskmates: ${message}\n`,
      })
      const { stderr } = await cli.run([...argv, '--json'])
      expect(JSON.parse(stderr)).toEqual({ error: { code: 'misused', message } })
    }
    expect(cli.read('.teams', 'default', 'journal.jsonl')).toBe(before)
  }) // B55, F13

  it('names the members of the team that was meant, wherever it stands on the line', async () => {
    await cli.ok('team create web')
    await cli.ok('team join carl --role dev --team web')
    const said = async (words: string) => {
      const { code, stderr } = await cli.run(words)
      return `${code} ${stderr}`
    }
    expect(await said('send ../x hi --team web')).toMatch(/^2 .* is not a name.* Members: lead, carl\.\n$/)
    expect(await said('--team web send ../x hi')).toContain('Members: lead, carl.')
    expect(await said('send ../x hi --team none')).toMatch(/^2 .* is not a name.* There is no team none\./)
    const elsewhere = commandHarness()
    const { code, stderr } = await elsewhere.run('send ../x hi')
    expect({ code, left: readdirSync(elsewhere.dir) }).toEqual({ code: 2, left: [] })
    expect(stderr).toContain('is not a name')
    expect(stderr).toContain('There is no team here yet.')
    elsewhere.close()
  })

  it('sends a message for all to every member except the sender', async () => {
    const sent = await cli.json('send all noon --from ada')
    expect(sent).toMatchObject({ type: 'broadcast', to: 'all' })
    expect(sent.deliveries.map(({ to }: { to: string }) => to)).toEqual(['lead', 'bob'])
    expect((await cli.json('send ALL noon --type broadcast')).deliveries).toHaveLength(3)
    expect(await cli.json('inbox ada')).toHaveLength(1)
  }) // A68

  it('to one member is never read by the others: a broadcast to a name is refused, with what to do', async () => {
    const { code, stderr } = await cli.run('send bob secret --type broadcast')
    expect([code, stderr]).toEqual([1, expect.stringContaining('For bob: leave out --type broadcast.')])
    for (const name of ['lead', 'ada', 'bob']) expect(await cli.json(`inbox ${name}`)).toEqual([])
  })

  it('reads any text for - from stdin, up to 1 MB', async () => {
    const text = 'two\nlines "quoted" \\ \u2028 {"type":"x"} 😀\t'
    await cli.ok('send ada -', stdin(text.slice(0, 5), `${text.slice(5)}\n`))
    expect(await cli.json('inbox ada')).toMatchObject([{ content: text }])
    expect(await cli.refused('send ada -', stdin('x'.repeat(1024 * 1024 + 2)))).toBe('too_large')
    expect(await cli.refused('send ada -', stdin(Uint8Array.of(0xff, 0xfe, 0x41)))).toBe('invalid')
    await cli.ok('send bob -', stdin('x'.repeat(1024 * 1024)))
    expect((await cli.json('inbox bob'))[0].content).toHaveLength(1024 * 1024)
  }) // F9

  it('knows a closed set of types; hand-offs are among them', async () => {
    expect(await cli.json('send ada report --type qa_result')).toMatchObject({ type: 'qa_result' })
    const { stderr } = await cli.run('send ada x --type nonsense')
    const [, offered = ''] = /Use one of: (.*)\./.exec(stderr) ?? []
    expect(offered.split(', ')).toEqual(expect.arrayContaining(['message', 'broadcast', 'shutdown_request']))
    for (const type of offered.split(', ').filter((one) => !/broadcast|_request$/.test(one)))
      expect(await cli.json(`send ada x --type ${type}`), type).toMatchObject({ type })
    for (const type of ['result', 'idle_notification', 'error', 'shutdown_response', 'plan_approval_response'])
      expect(offered.split(', ')).not.toContain(type)
    expect((await cli.run('send ada x --type idle_notification')).stderr).toContain('An idle_notification comes from')
    expect(await cli.refused('send ada ok --type shutdown_response')).toBe('invalid')
    expect((await cli.run('send ada ok --type plan_approval_response')).stderr).toContain('deskmates answer')
  }) // A65

  it('fails when the message bounced for every recipient', async () => {
    await using store = await openFileStore({ dir: cli.dir })
    const team = await openTeam(store, 'default')
    await team.refresh()
    const messages = Array.from({ length: 10_000 }, (_, i) => ({
      type: 'message.sent' as const,
      message: { id: `m${i}`, type: 'message' as const, from: 'user', to: 'bob', content: '', timestamp: 1 },
    }))
    await team.report(messages)
    await team.close()
    const { code, stdout } = await cli.run('send bob more')
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'bob: bounced (bob has 10000 unread messages)\n' })
    expect(await cli.json('send all more')).toMatchObject({
      deliveries: [{ outcome: 'queued' }, { outcome: 'queued' }, { to: 'bob', outcome: 'bounced' }],
    })
  })
})

describe('inbox', () => {
  it('shows unread mail without taking it', async () => {
    await cli.ok('send ada one')
    const first = await cli.json('inbox ada')
    expect(await cli.json('inbox ada')).toEqual(first)
    expect(await cli.ok('inbox ADA')).toContain('user → ada\n  one\n')
    expect(await cli.refused('inbox ghost')).toBe('unknown_member')
    expect(await cli.json('inbox user')).toEqual([])
    expect(await cli.json('inbox lead')).toEqual([])
  }) // F12, B16

  it('--take prints each message once and in order', async () => {
    for (const text of ['one', 'two', 'three']) await cli.ok(`send ada ${text}`)
    const taken = await cli.json('inbox ada --take')
    expect(taken.map(({ content }: { content: string }) => content)).toEqual(['one', 'two', 'three'])
    expect(await cli.json('inbox ada --take')).toEqual([])
    expect(await cli.run('inbox ada')).toEqual({ code: 0, stdout: '', stderr: 'No unread mail for ada.\n' })
    expect(cli.read('.teams', 'default', 'inbox', 'ada.jsonl').trim()).toBe('')
  }) // A69

  it('takes nothing where stdout is closed', async () => {
    await cli.ok('team create web')
    await cli.ok('send lead hello --team web')
    const { code, stderr } = await cli.run('inbox lead --take --team web', { isStdoutClosed: true })
    expect(code).toBe(1)
    expect(stderr).toContain('Nothing is marked as read')
    expect(await cli.json('inbox lead --team web')).toHaveLength(1)
  }) // T52

  it('--take acknowledges nothing that its reader did not get; the next one gets it again, marked', async () => {
    await cli.ok('send ada one')
    const closed = { write: (_: string, done: (error?: Error) => void) => done(new Error('EPIPE')) }
    const { code, stderr } = await cli.run('inbox ada --take', { stdout: closed })
    expect([code, stderr]).toEqual([1, expect.stringContaining('Nothing is marked as read')])
    expect(await cli.json('inbox ada --take')).toMatchObject([{ content: 'one', redelivered: true }])
    expect(await cli.json('inbox ada --take')).toEqual([])
  }) // F2

  it('--take that died before its acknowledgement is not told that it was the reader when another one was', async () => {
    await cli.ok('send ada one')
    const closed = { write: (_: string, done: (error?: Error) => void) => done(new Error('EPIPE')) }
    expect((await cli.run('inbox ada --take --command-id t1', { stdout: closed })).code).toBe(1)
    expect(await cli.json('inbox ada --take')).toMatchObject([{ content: 'one', redelivered: true }])
    const { code, stderr } = await cli.run('inbox ada --take --command-id t1')
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('went to another reader') })
  }) // F2

  it('--take repeated with its command id prints the same again', async () => {
    await cli.ok('send ada one')
    const first = await cli.json('inbox ada --take --command-id t1')
    await cli.ok('send ada two')
    expect(await cli.json('inbox ada --take --command-id t1')).toEqual(first)
    expect(await cli.json('inbox ada')).toMatchObject([{ content: 'two' }])
  })

  it('--take is refused while a runtime serves the member', async () => {
    await using store = await openFileStore({ dir: cli.dir })
    const team = await openTeam(store, 'default')
    await team.run({ type: 'member.spawn', name: 'zoe', role: 'dev', runtime: store.presence.self })
    await team.close()
    await cli.ok('send zoe hello')
    expect(await cli.refused('inbox zoe --take')).toBe('served')
    expect(await cli.json('inbox zoe')).toHaveLength(1)
    expect(await cli.refused('team leave zoe')).toBe('not_allowed')
  })

  it('shows what a program left in the file as external; broken lines are set aside', async () => {
    await cli.ok('send ada ours')
    const inboxFile = join(cli.dir, '.teams', 'default', 'inbox', 'ada.jsonl')
    appendFileSync(
      inboxFile,
      '{"type":"message","from":"ci","content":"red"}\n{oops\n{"sender":"old","content":"flat"}\n',
    )
    const mail = await cli.json('inbox ada')
    expect(mail).toMatchObject([
      { from: 'user', content: 'ours' },
      { from: 'ci', content: 'red', external: true },
      { from: 'old', content: 'flat', external: true },
    ])
    expect(mail[0]).not.toHaveProperty('external')
    expect(await cli.ok('inbox ada')).toContain('ci → ada  (external, unverified)')
    expect(cli.read('.teams', 'default', 'inbox', 'ada.rejected.jsonl')).toContain('oops')
    expect(await cli.json('inbox ada --take')).toHaveLength(3)
  }) // A70, F8

  it('keeps teams apart', async () => {
    await cli.ok('team create web')
    await cli.ok('team join ada --role dev --team web')
    await cli.ok('send ada here --team web')
    expect(await cli.json('inbox ada')).toEqual([])
    expect(await cli.json('inbox ada --team web')).toHaveLength(1)
  }) // F16
})

describe('requests and answer', () => {
  it('requests --all shows what was answered, and what a member that stops leaves', async () => {
    await cli.ok('team join ada --role dev')
    await cli.ok(['send', 'ada', 'please stop', '--type', 'shutdown_request'])
    await cli.ok(['answer', 'r1', 'reject', '--feedback', 'the tests are red', '--as', 'ada'])
    expect(await cli.ok('requests --all')).toContain('the tests are red')
    expect(await cli.ok('requests')).not.toContain('ANSWER')
  }) // T34

  it('a request is kept until its one answer, which only the one who was asked can give', async () => {
    const sent = await cli.json(['send', 'ada', 'please stop', '--type', 'shutdown_request'])
    expect(sent).toMatchObject({
      type: 'shutdown_request',
      deliveries: [{ to: 'ada', outcome: 'queued' }],
      request: { id: 'r1', kind: 'shutdown', from: 'user', to: 'ada', state: 'pending' },
    })
    expect(await cli.json('requests')).toMatchObject([{ id: 'r1', deadline: cli.clock.now() + 30 }])
    expect(await cli.ok('requests')).toContain('please stop')
    expect(await cli.refused('answer r1 approve')).toBe('not_allowed')
    expect(await cli.refused('answer r1 approve --as bob')).toBe('not_allowed')
    expect(await cli.refused('answer r9 approve')).toBe('unknown_request')
    expect(await cli.json('answer r1 approve --as ada --feedback bye')).toMatchObject({
      state: 'approved',
      feedback: 'bye',
    })
    expect(await cli.refused('answer r1 reject --as ada')).toBe('wrong_state')
    expect(await cli.json('requests')).toEqual([])
    expect(await cli.json('requests --all')).toMatchObject([{ id: 'r1', state: 'approved', by: 'ada' }])
    expect(await cli.json('inbox user')).toMatchObject([{ type: 'shutdown_response', from: 'ada', request_id: 'r1' }])
  }) // B43, B68, F28, F29

  it('the user answers for the lead, and a deadline is only shown by looking', async () => {
    await cli.ok('send lead plan --type plan_approval_request --from ada')
    expect(await cli.json('answer r1 reject --feedback smaller')).toMatchObject({ state: 'rejected', by: 'user' })
    await cli.ok('send ada stop --type shutdown_request')
    cli.clock.advance(31)
    expect(await cli.json('requests')).toMatchObject([{ id: 'r2', state: 'pending', note: 'deadline over' }])
    expect(await cli.refused('answer r2 approve --as ada')).toBe('wrong_state')
    await cli.ok('task add x')
    expect(await cli.json('requests --all')).toMatchObject([{ id: 'r1' }, { id: 'r2', state: 'timed_out' }])
    expect(await cli.refused('send all x --type shutdown_request')).toBe('invalid')
    expect(await cli.refused('send bob x --type plan_approval_request --from ada')).toBe('invalid')
  })
})
