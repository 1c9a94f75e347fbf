import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { isGroupAlive } from '../../src/permissions/processes/process-group.ts'
import { toolHarness } from '../../src/testing/harnesses/tool-harness.ts'
import { openServers, rawEntry, readyServer } from './server-harness.ts'

const TIMEOUT = { timeout: 60_000 }

describe('the tools of a server', TIMEOUT, () => {
  it('are named after it, say whose they are, and are asked about whatever the server says of them', async () => {
    await using harness = await openServers([readyServer('my server', rawEntry())])
    const image = harness.servers.tools.find(({ name }) => name === 'mcp__my_server__image')!
    expect(image.description).toContain('A tool of the MCP server my server.')
    expect(image.action?.({})).toEqual({ kind: 'use', tool: 'mcp__my_server__image' })
    expect(image.isReadOnly).toBeFalsy()
    expect(image.isRepeatable?.({})).toBeFalsy()
  })

  it('return text, images, structured values, and files for what is neither', async () => {
    await using harness = await openServers([readyServer('raw', rawEntry())])
    const context = toolHarness()
    expect(await harness.call('mcp__raw__echo', { text: 'hello' })).toMatchObject({ text: 'hello' })
    const image = await harness.call('mcp__raw__image', {}, context)
    expect(image.images).toEqual([{ data: 'iVBORw0KGgo=', mediaType: 'image/png' }])
    const [, path = ''] = /audio\/wav: kept in (\S+)\]/.exec(image.text) ?? []
    expect(readFileSync(join(context.root, path), 'latin1')).toBe('RIFF')
    expect(await harness.call('mcp__raw__structured')).toMatchObject({ text: '{"degrees":21}' })
    expect(await harness.call('mcp__raw__fail')).toMatchObject({ isError: true })
  })

  it('keep long results in a file of the agent that called', async () => {
    await using harness = await openServers([readyServer('raw', rawEntry())])
    const context = toolHarness()
    const { text, outputPath } = await harness.call('mcp__raw__big', { mb: 1 }, context)
    expect(text.length).toBeLessThan(60_000)
    expect(readFileSync(join(context.root, outputPath!), 'utf8')).toHaveLength(1024 * 1024)
  })

  it('check their input by the schema, and name what is wrong', async () => {
    await using harness = await openServers([readyServer('raw', rawEntry())])
    const { text, isError } = await harness.call('mcp__raw__echo', {})
    expect({ text, isError }).toEqual({ text: 'Invalid input for mcp__raw__echo: text is missing.', isError: true })
  })

  it('change when the server announces it', async () => {
    await using harness = await openServers([readyServer('raw', rawEntry())])
    const before = harness.servers.tools
    expect(harness.servers.tools).toBe(before)
    await harness.call('mcp__raw__grow')
    await vi.waitFor(() => expect(harness.servers.tools.map(({ name }) => name)).toContain('mcp__raw__grown'), 30_000)
    expect(await harness.call('mcp__raw__grown')).toMatchObject({ text: 'grown' })
  })
})

describe('a server', TIMEOUT, () => {
  it('is one process for all agents, whose calls run side by side and get their own results', async () => {
    await using harness = await openServers([readyServer('raw', rawEntry())])
    const names = Array.from({ length: 8 }, (_, i) => `mate-${i}`)
    const calls = names.map((agent) => harness.call('mcp__raw__hold', { key: agent }, { agent }))
    // All are held at the same time: the last call lets them go.
    await vi.waitFor(
      async () => expect((await harness.call('mcp__raw__echo', { text: 'x' })).isError).toBeFalsy(),
      30_000,
    )
    expect((await harness.call('mcp__raw__release')).text).toBe(`released ${names.join(' ')}`)
    expect((await Promise.all(calls)).map(({ text }) => text)).toEqual(names.map((name) => `held ${name}`))
    expect(harness.groups).toHaveLength(1)
  })

  it('gives each agent a process of its own where it is configured so, until that agent ends', async () => {
    await using harness = await openServers([readyServer('raw', rawEntry('good', { perAgent: true }))])
    const pidOf = async (agent: string) => Number((await harness.call('mcp__raw__pid', {}, { agent })).text)
    const [lead, ada, bob] = [await pidOf('lead'), await pidOf('ada'), await pidOf('bob')]
    expect(new Set([lead, ada, bob]).size).toBe(3)
    expect(await pidOf('ada')).toBe(ada)
    await harness.servers.release({ team: 'web', agent: 'ada' })
    expect([lead!, ada!, bob!].map(isGroupAlive)).toEqual([true, false, true])
  })

  it('that crashes fails the calls it was busy with, and is started again once, not before the back-off', async () => {
    await using harness = await openServers([readyServer('raw', rawEntry())])
    const held = [1, 2, 3].map((key) => harness.call('mcp__raw__hold', { key }))
    const crashed = await harness.call('mcp__raw__crash')
    expect(crashed.text).toBe('The MCP server raw failed at crash: it ended with exit code 3.')
    for (const { text } of await Promise.all(held)) expect(text).toContain('it ended with exit code 3')
    expect(harness.notes.at(-1)).toBe(
      'The MCP server raw ended: it ended with exit code 3. It is started again when it is needed.',
    )
    const again = Promise.all([1, 2, 3].map((i) => harness.call('mcp__raw__echo', { text: `again ${i}` })))
    await vi.waitFor(() => expect(harness.clock.next).toBeDefined(), 30_000)
    expect(harness.groups).toHaveLength(1)
    harness.clock.advance(1)
    expect((await again).map(({ text }) => text)).toEqual(['again 1', 'again 2', 'again 3'])
    expect(harness.groups).toHaveLength(2)
  })

  it('that crashes again and again is given up', async () => {
    await using harness = await openServers([readyServer('raw', rawEntry())])
    for (let i = 0; i < 5; i++) {
      const crash = harness.call('mcp__raw__crash')
      if (i > 0) await vi.waitFor(() => expect(harness.clock.next).toBeDefined(), 30_000)
      harness.clock.advance(60)
      expect((await crash).isError).toBe(true)
    }
    const { text } = await harness.call('mcp__raw__echo', { text: 'x' })
    expect(text).toContain('failed 5 times in a row and is not started again in this session')
    expect(harness.groups).toHaveLength(5)
  })

  it('does not outlive its session, and nothing that it started does', async () => {
    const harness = await openServers([readyServer('raw', rawEntry())])
    const { pid } = harness.groups[0]!
    expect(isGroupAlive(pid)).toBe(true)
    await harness.servers[Symbol.asyncDispose]()
    expect(isGroupAlive(pid)).toBe(false)
    expect(harness.servers.tools).toEqual([])
  })

  it('gives prompts and resources', async () => {
    await using harness = await openServers([readyServer('raw', rawEntry())])
    const { connection, offers } = harness.servers.find('raw')!
    expect(offers.prompts).toMatchObject([{ name: 'review' }])
    const { signal } = new AbortController()
    expect(await connection.readResource('note://today', signal)).toMatchObject({
      contents: [{ text: 'the note of note://today' }],
    })
  })
})

describe('a hostile server', TIMEOUT, () => {
  it('gets no name of ours: tools that look like others are renamed or refused, with server and tool', async () => {
    await using harness = await openServers([readyServer('evil', rawEntry('hostile'))])
    const names = harness.servers.tools.map(({ name }) => name)
    expect(names).toEqual(['mcp__evil__bash', 'mcp__evil__read_file', 'mcp__evil__loop', 'mcp__evil__slow'])
    const of = (tool: string) => harness.notes.find((note) => note.includes(JSON.stringify(tool)))
    expect(of('read_file')).toContain('there is another tool mcp__evil__read_file of this server')
    expect(of('Read.File')).toContain('there is another tool mcp__evil__Read_File of this server')
    expect(of('…')).toContain('its name has no letter or digit')
    expect(of('list')).toContain('The MCP server evil: its tool "list" is not used: it cannot be read')
    expect(of('typo')).toContain('the type "strnig" of "a" does not exist')
    expect(of('elsewhere')).toContain('"$ref" of "a" leads nowhere')
    expect(of('spaced')).toContain('the parameter "a b" has a name that no provider accepts')
    expect(of('huge')).toContain('at most 65536 are used')
    const bash = harness.servers.tools.find(({ name }) => name === 'mcp__evil__bash')!
    expect(bash.description).not.toContain('\u001b')
  })

  it('cannot keep this process busy with its schemas', async () => {
    await using harness = await openServers([readyServer('evil', rawEntry('hostile'))])
    expect((await harness.call('mcp__evil__loop', { a: 1 })).text).toContain('its schema takes too many steps')
    expect(await harness.call('mcp__evil__slow', { a: `${'a'.repeat(100)}!` })).toMatchObject({ text: 'matched' })
  })

  it('that lies about its schema fails that call only', async () => {
    await using harness = await openServers([readyServer('raw', rawEntry())])
    const { text, isError } = await harness.call('mcp__raw__lie')
    expect(isError).toBe(true)
    expect(text).toContain('The MCP server raw failed at lie')
    expect(text).toContain('degrees must be number')
    expect(await harness.call('mcp__raw__echo', { text: 'on' })).toMatchObject({ text: 'on' })
  })

  it('that answers with 50 MB fails that call only, and costs no memory for it', async () => {
    await using harness = await openServers([readyServer('raw', rawEntry())])
    const held = harness.call('mcp__raw__hold', { key: 'a' })
    const { text, isError } = await harness.call('mcp__raw__big', { mb: 50 })
    expect(isError).toBe(true)
    expect(text).toContain('its answer has more than 16 MB (50 MB), and was left out')
    await harness.call('mcp__raw__release')
    expect(await held).toMatchObject({ text: 'held a' })
    expect(harness.groups).toHaveLength(1)
  })

  it('that floods is ended, with the reason', async () => {
    await using harness = await openServers([readyServer('raw', rawEntry())])
    const { text } = await harness.call('mcp__raw__flood')
    expect(text).toContain('it sent more than 2000 messages in a second without being asked')
  })

  it('that hangs fails the call after its time, and is ended if it is deaf', async () => {
    await using harness = await openServers([readyServer('raw', rawEntry('good', { timeout: 300 }))])
    expect((await harness.call('mcp__raw__hang')).text).toContain('it did not answer in time (300 ms)')
    expect(await harness.call('mcp__raw__echo', { text: 'on' })).toMatchObject({ text: 'on' })
    await harness.call('mcp__raw__deaf')
    await vi.waitFor(() => expect(harness.notes.at(-1)).toContain('it did not answer for'), 30_000)
  })

  it('that announces other tools without end gets one list at a time, and is noted 50 times at most', async () => {
    await using harness = await openServers([readyServer('raw', rawEntry())])
    expect((await harness.call('mcp__raw__churn', { times: 5 })).text).toBe('churned')
    await vi.waitFor(() => expect(harness.notes.at(-1)).toContain('and is not listed here'), 30_000)
    expect(harness.notes).toHaveLength(51)
    expect(new Set(harness.notes).size).toBe(51)
    expect(await harness.call('mcp__raw__echo', { text: 'on' })).toMatchObject({ text: 'on' })
  })

  it.each([
    ['pages', { startupTimeout: 500 }, 'could not be started: it did not answer in time (500 ms)'],
    [
      'silent',
      { startupTimeout: 300 },
      'in time (300 ms). It has no network. If it needs one, as npx does to fetch a package: write "network": true',
    ],
    ['exit', {}, 'it ended with exit code 7: cannot start: \ufffd[31mno database\ufffd[0m'],
  ])('that is %s at its start is reported, and the others work', async (mode, more, words) => {
    await using harness = await openServers([readyServer('evil', rawEntry(mode, more)), readyServer('raw', rawEntry())])
    expect(harness.servers.status()).toMatchObject([{ status: 'failed' }, { status: 'connected' }])
    expect(harness.notes.join('\n')).toContain(words)
    expect(await harness.call('mcp__raw__echo', { text: 'on' })).toMatchObject({ text: 'on' })
  })
})
