import { request } from 'node:http'
import { connect } from 'node:net'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { heldBy, unreadOf } from '../../team/state.ts'
import {
  type ConnectedCaller,
  connectCaller,
  type McpHarness,
  mcpHarness,
} from '../../testing/harnesses/mcp-harness.ts'

let harness: McpHarness
let url: URL
let tokens: Record<'ada' | 'bob', string>
const callers: ConnectedCaller[] = []
beforeEach(async () => {
  harness = await mcpHarness()
  tokens = { ada: await harness.join('ada'), bob: await harness.join('bob') }
  url = new URL((await harness.serve()).url)
})
afterEach(async () => {
  for (const caller of callers.splice(0)) await caller[Symbol.asyncDispose]()
  await harness[Symbol.asyncDispose]()
})

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

async function connected(token: string, at = url): Promise<ConnectedCaller> {
  const transport = new StreamableHTTPClientTransport(at, { requestInit: { headers: bearer(token) } })
  const caller = await connectCaller(transport)
  callers.push(caller)
  return caller
}

const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })

/** The status of a raw request, which may carry what no client sends. */
function status(
  headers: Record<string, string>,
  { body = LIST, path = '/mcp', method = 'POST' } = {},
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method,
        path,
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      },
      (response) => {
        response.resume()
        resolve(response.statusCode)
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

describe('the server over HTTP', () => {
  it('serves several clients at once, each as the member whose token it sends', async () => {
    await harness.team.run({ type: 'task.add', tasks: [{ subject: 'one' }, { subject: 'two' }] })
    const [ada, bob] = await Promise.all([connected(tokens.ada), connected(tokens.bob)])
    const waiting = ada.call('wait_for_news', { knownTasks: ['1', '2'] })
    const claims = await Promise.all([bob.call('task_claim'), bob.call('team_status')])
    expect(claims[0].data.task).toMatchObject({ id: '1', owner: 'bob' })
    expect(claims[1].data.you.name).toBe('bob')
    await bob.call('message_send', { to: 'ada', content: 'take the other one' })
    const arrived = await waiting
    expect(arrived.data.messages).toMatchObject([{ from: 'bob', content: 'take the other one' }])
    expect((await ada.call('task_claim')).data.task).toMatchObject({ id: '2', owner: 'ada' })
  })

  it('listens on this machine only, and says where', () => {
    expect(url.href).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/)
  })

  it('refuses a wrong, foreign or missing token before it reads the request', async () => {
    expect(await status({})).toBe(401)
    for (const authorization of [
      'Bearer dmt_wrong',
      'Bearer ',
      `Basic ${tokens.ada}`,
      tokens.ada,
      `Bearer ${tokens.ada}x`,
    ])
      expect([authorization, await status({ authorization })]).toEqual([authorization, 401])
    expect(await status(bearer(tokens.ada))).toBe(200)
    await harness.team.run({ type: 'token.issue', member: 'ada', hash: 'a'.repeat(64) })
    expect(await status(bearer(tokens.ada)), 'a newer token was issued').toBe(401)
    await harness.team.run({ type: 'member.stop', name: 'bob' })
    expect(await status(bearer(tokens.bob)), 'the member left').toBe(401)
  })

  it('that serves one member refuses the token of another one', async () => {
    url = new URL((await harness.serve('ada')).url)
    expect(await status(bearer(tokens.ada))).toBe(200)
    expect(await status(bearer(tokens.bob))).toBe(401)
  })

  it('refuses a foreign host, which a page could resolve to this machine', async () => {
    const port = url.port
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1',
      '127.0.0.1:1',
      `127.0.0.1.evil.example:${port}`,
    ])
      expect([host, await status({ ...bearer(tokens.ada), host })]).toEqual([host, 403])
    for (const host of [`localhost:${port}`, `LOCALHOST:${port}`, `127.0.0.1:${port}`])
      expect([host, await status({ ...bearer(tokens.ada), host })]).toEqual([host, 200])
  })

  it('refuses a foreign origin, also with the right token', async () => {
    const port = url.port
    for (const origin of [
      'https://evil.example',
      'null',
      'http://localhost',
      'http://localhost:1',
      `https://localhost:${port}`,
    ])
      expect([origin, await status({ ...bearer(tokens.ada), origin })]).toEqual([origin, 403])
    expect(await status({ ...bearer(tokens.ada), origin: `http://127.0.0.1:${port}` })).toBe(200)
  })

  it('refuses a body that is too large, an unknown path and what is no JSON', async () => {
    const big = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { x: 'x'.repeat(5_000_000) } })
    expect(await status(bearer(tokens.ada), { body: big }).catch(() => 413)).toBe(413)
    for (const path of ['/', '/mcp/..', '/mcp/../../etc/passwd', '/mcp%2f..'])
      expect([path, await status(bearer(tokens.ada), { path })]).toEqual([path, 404])
    expect(await status(bearer(tokens.ada), { body: '{' })).toBe(400)
    expect(await status({ ...bearer(tokens.ada), 'content-type': 'text/plain' })).toBe(415)
    expect(await status(bearer(tokens.ada))).toBe(200)
  })

  it('ends the wait of a client that goes away, and gives it no mail', async () => {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'wait_for_news', arguments: {} },
    })
    const socket = connect(Number(url.port), '127.0.0.1')
    socket.on('error', () => {})
    socket.write(
      `POST /mcp HTTP/1.1\r\nhost: ${url.host}\r\nauthorization: Bearer ${tokens.ada}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
    await until(() => harness.clock.next !== undefined)
    socket.destroy()
    await until(() => harness.clock.next === undefined)
    await harness.team.send({ to: 'ada', content: 'later' })
    expect(unreadOf(harness.team.state, 'ada')).toMatchObject([{ taken: null }])
  })

  it('ends cleanly while clients wait', async () => {
    const second = await harness.serve()
    const ada = await connected(tokens.ada, new URL(second.url))
    const waiting = ada.call('wait_for_news').then(
      ({ data }) => data.timedOut,
      () => 'disconnected',
    )
    await until(() => harness.clock.next !== undefined)
    await second[Symbol.asyncDispose]()
    expect([true, 'disconnected']).toContain(await waiting)
    expect(harness.clock.next).toBeUndefined()
  })

  it('gives claims the same lease as on stdio', async () => {
    await harness.team.run({ type: 'task.add', tasks: [{ subject: 'one' }] })
    const ada = await connected(tokens.ada)
    await ada.call('task_claim')
    harness.clock.advance(400)
    await ada.call('requests')
    expect(heldBy(harness.team.state, 'ada')).toMatchObject({ leaseUntil: harness.clock.now() + 600 })
  })
})

async function until(isSo: () => boolean): Promise<void> {
  for (let i = 0; i < 5000 && !isSo(); i++) await new Promise((resolve) => setImmediate(resolve))
  if (!isSo()) throw new Error('it did not come to that')
}
