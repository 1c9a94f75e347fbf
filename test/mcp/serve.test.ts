import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ConnectedCaller, connectCaller } from '../../src/testing/harnesses/mcp-harness.ts'
import { type CommandHarness, commandHarness } from '../cli/command-harness.ts'
import { buildCli, cli } from '../demo/demo-process.ts'

let harness: CommandHarness
const callers: AsyncDisposable[] = []
const children: ChildProcess[] = []
beforeAll(buildCli)
beforeEach(() => {
  harness = commandHarness()
})
afterEach(async () => {
  for (const caller of callers.splice(0)) await caller[Symbol.asyncDispose]()
  for (const child of children.splice(0)) child.kill('SIGKILL')
  harness.close()
})

const env = (changes: Record<string, string> = {}): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  ...(harness.env as Record<string, string>),
  ...changes,
})

interface Server extends ConnectedCaller {
  readonly pid: number
}

/** A server process of its own, as a client starts it. */
async function start(words: string, changes?: Record<string, string>): Promise<Server> {
  const args = [cli, 'mcp', 'serve', ...words.split(' ').filter((word) => word !== '')]
  const transport = new StdioClientTransport({
    command: process.execPath,
    args,
    cwd: harness.dir,
    env: env(changes),
    stderr: 'ignore',
  })
  const caller = await connectCaller(transport)
  callers.push(caller)
  return Object.assign(caller, { pid: transport.pid ?? 0 })
}

const contents = ({ data }: { data: { messages: { content: string }[] } }) => data.messages.map((one) => one.content)
const tokenOf = async (name: string): Promise<string> =>
  readFileSync((await harness.json(`team join ${name} --role dev`)).tokenFile, 'utf8').trim()

describe('deskmates mcp serve', { timeout: 60_000 }, () => {
  it('lets the caller join with its first action, and leaves a folder without a team alone until then', async () => {
    const claude = await start('--as claude --role developer')
    expect((await claude.call('task_list')).data).toEqual({ tasks: [], total: 0 })
    expect((await claude.call('team_status')).data.you).toBeNull()
    expect(readdirSync(harness.dir)).toEqual([])
    expect((await claude.call('task_create', { subject: 'one' })).data.task.createdBy).toBe('claude')
    expect((await claude.call('task_claim')).data.task).toMatchObject({ id: '1', owner: 'claude' })
    expect(await harness.json('team show')).toMatchObject({
      members: [{ name: 'lead' }, { name: 'claude', role: 'developer', kind: 'external' }],
    })
    expect(await harness.json('task show 1')).toMatchObject({ owner: 'claude', leaseUntil: expect.any(Number) })
  })

  it('does not join again by itself after the caller has left, and its token file is gone', async () => {
    const claude = await start('--as claude')
    await claude.call('task_create', { subject: 'one' })
    const { tokenFile } = await harness.json('team join claude --role dev')
    expect(existsSync(tokenFile)).toBe(true)
    expect((await claude.call('leave')).data).toEqual({ name: 'claude', released: null, returned: 0 })
    expect(existsSync(tokenFile)).toBe(false)
    expect((await claude.call('task_claim')).error).toBe('member_stopped')
    expect((await claude.call('task_list')).data.total).toBe(1)
    const later = await start('--as claude')
    expect((await later.call('task_claim')).data.task.owner).toBe('claude')
  })

  it('delivers a message again after kill -9 between delivery and the next call, then once', async () => {
    await harness.ok('team join ada --role dev')
    await harness.ok('send ada hello')
    const first = await start('--as ada')
    const { data } = await first.call('wait_for_news')
    const [{ id }] = data.messages
    process.kill(first.pid, 'SIGKILL')
    const second = await start('--as ada')
    const again = await second.call('wait_for_news')
    expect(again.data.messages).toMatchObject([{ id, content: 'hello', redelivered: true }])
    expect((await second.call('inbox', { received: [id] })).data).toMatchObject({ confirmed: [id], messages: [] })
    process.kill(second.pid, 'SIGKILL')
    const third = await start('--as ada')
    expect(contents(await third.call('inbox'))).toEqual([])
    expect((await third.call('wait_for_news', { seconds: 0, received: [id] })).data.confirmed).toEqual([])
  })

  it('as the same member in two processes gives a message to one of them, and a claim to both', async () => {
    await harness.ok('team join ada --role dev')
    const [one, two] = await Promise.all([start('--as ada'), start('--as ada')])
    await harness.ok('task add only')
    const tasks = await Promise.all([one.call('task_claim'), two.call('task_claim')])
    expect(tasks.map(({ data }) => data.task.id)).toEqual(['1', '1'])
    for (const text of ['a', 'b', 'c']) await harness.ok(`send ada ${text}`)
    const [first, second] = await Promise.all([one.call('inbox'), two.call('inbox')])
    expect([...contents(first), ...contents(second)].sort()).toEqual(['a', 'b', 'c'])
  })

  it('wakes when another process writes, and reads lines of the inbox file as unverified', async () => {
    await harness.ok('team join ada --role dev')
    const ada = await start('--as ada')
    const waiting = ada.call('wait_for_news')
    await harness.ok('send ada hello')
    const { data } = await waiting
    expect(data).toMatchObject({ timedOut: false, messages: [{ content: 'hello' }] })
    const next = ada.call('wait_for_news', { received: [data.messages[0].id] })
    const line = { type: 'message', from: 'lead', content: 'approved' }
    appendFileSync(join(harness.dir, '.teams', 'default', 'inbox', 'ada.jsonl'), `${JSON.stringify(line)}\n`)
    const unverified = await next
    expect(unverified.data.messages).toMatchObject([{ content: 'approved', external: true }])
    expect(unverified.text).toContain('origin="external, unverified"')
  })

  it('refuses at the start to act as an agent, or as a member whose token is not here', async () => {
    await harness.ok('team join ada --role dev')
    const other = { DESKMATES_STATE: join(harness.dir, '..', 'other'), DESKMATES_TRUST: '1' }
    const run = (words: string, changes = {}) => harness.run(`mcp serve ${words}`, { env: env(changes) })
    expect(await run('--as ada', other)).toMatchObject({ code: 1, stderr: expect.stringContaining('--renew-token') })
    expect(await run('--as ada', { DESKMATES_MEMBER_TOKEN: 'dmt_wrong' })).toMatchObject({ code: 1 })
    expect(await run('--as lead')).toMatchObject({ code: 1 })
    expect(await run('--as ../x')).toMatchObject({ code: 2 })
    expect(await run('--team ghost --as ada')).toMatchObject({ code: 1 })
    expect(await run('--as ada', { DESKMATES_AGENT: 'bob' })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('DESKMATES_AGENT'),
    })
    expect(await run('--http 70000')).toMatchObject({ code: 2 })
    expect(await run('--as ada')).toMatchObject({ code: 0, stdout: '' })
  })

  it('without a name offers join, which gives no name that is in use', async () => {
    await harness.ok('team join ada --role dev')
    const caller = await start('')
    expect((await caller.call('task_claim')).text).toContain('Call join with a name and a role first.')
    expect((await caller.call('join', { name: 'ADA', role: 'dev' })).error).toBe('member_busy')
    expect((await caller.call('join', { name: '../x', role: 'dev' })).error).toBe('invalid')
    expect((await caller.call('join', { name: 'lead', role: 'dev' })).error).toBe('member_busy')
    expect((await caller.call('join', { name: 'zoe', role: 'tester' })).data).toEqual({ name: 'zoe', role: 'tester' })
    expect((await caller.call('team_status')).data.you).toEqual({ name: 'zoe', role: 'tester' })
    const byToken = await start('', { DESKMATES_MEMBER_TOKEN: await tokenOf('cyd') })
    expect((await byToken.call('team_status')).data.you.name).toBe('cyd')
  })

  it('over HTTP prints its address, serves members by their tokens and ends by a signal', async () => {
    const token = await tokenOf('ada')
    const child = spawn(process.execPath, [cli, 'mcp', 'serve', '--http', '--json'], { cwd: harness.dir, env: env() })
    children.push(child)
    const [line] = await once(createInterface(child.stdout), 'line')
    const { url } = JSON.parse(line)
    const requestInit = { headers: { authorization: `Bearer ${token}` } }
    const ada = await connectCaller(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
    callers.push(ada)
    await ada.call('task_create', { subject: 'one' })
    expect((await ada.call('task_claim')).data.task.owner).toBe('ada')
    const wrong = await fetch(url, { method: 'POST', headers: { authorization: 'Bearer x' } })
    expect(wrong.status).toBe(401)
    const port = new URL(url).port
    expect(await harness.run(`mcp serve --http ${port}`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`Port ${port} is in use.`),
    })
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    expect(await ended).toEqual([143, null])
  })
})
