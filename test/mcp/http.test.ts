import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openServers, readyServer } from './server-harness.ts'

/** What the server was asked, and the header by which it knows the caller. */
let asked: { method: string; key: string | undefined; path: string | undefined }[] = []
let origin: string
/** The same server at another address. */
let elsewhere: string
let session = ''
const other = createServer((request, response) => void answer(request, response))
const server = createServer((request, response) => void answer(request, response))

beforeEach(async () => {
  asked = []
  for (const one of [server, other]) await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
})
afterEach(async () => {
  for (const one of [server, other]) await new Promise<void>((resolve) => void one.close(() => resolve()))
})

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === '/private')
    return void response.writeHead(401, { 'www-authenticate': 'Bearer realm="web"' }).end('no')
  if (request.url === '/moved') return void response.writeHead(307, { location: `${elsewhere}/mcp` }).end()
  if (request.method !== 'POST') return void response.writeHead(405).end()
  const body: Buffer[] = []
  for await (const bytes of request) body.push(bytes as Buffer)
  const { id, method, params } = JSON.parse(Buffer.concat(body).toString())
  if (request.url === '/sessions') {
    if (method === 'initialize') response.setHeader('mcp-session-id', session)
    else if (request.headers['mcp-session-id'] !== session) return void response.writeHead(404).end('no such session')
  }
  asked.push({ method, key: request.headers['x-key'] as string | undefined, path: request.url })
  if (id === undefined) return void response.writeHead(202).end()
  const send = (result: object) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  if (method === 'initialize') {
    const capabilities = { tools: {} }
    return void send({
      protocolVersion: params.protocolVersion,
      capabilities,
      serverInfo: { name: 'web', version: '1' },
    })
  }
  if (method === 'tools/list')
    return void send({
      tools: ['echo', 'big', 'flood', 'endless', 'comments'].map((name) => ({ name, inputSchema: { type: 'object' } })),
    })
  if (params.name === 'big') return void send({ content: [{ type: 'text', text: 'x'.repeat(50 * 1024 * 1024) }] })
  const pieces = FLOODS[params.name as keyof typeof FLOODS]
  if (pieces !== undefined) return void pour(response, pieces)
  send({ content: [{ type: 'text', text: params.arguments.text }] })
}

const NOTICE = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } })
const FLOODS = {
  flood: `event: message\ndata: ${NOTICE}\n\n`,
  /** One event that never ends, in short lines. */
  endless: `data: ${'x'.repeat(1000)}\n`,
  comments: ': still here\r\n\r\n',
}

/** Sends this as events, again and again, until the client goes away. */
function pour(response: ServerResponse, piece: string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const pieces = piece.repeat(Math.ceil(65_536 / piece.length))
  const write = () => {
    while (!response.destroyed && response.write(pieces));
    if (!response.destroyed) response.once('drain', write)
  }
  write()
}

const open = (path = '/mcp', headers: Record<string, string> = {}, env: Record<string, string> = {}) =>
  openServers([readyServer('web', { type: 'http', url: origin + path, headers })], { env })

describe('a server over HTTP', { timeout: 60_000 }, () => {
  it('is called with its headers, in which variables are replaced', async () => {
    await using harness = await open('/mcp', { 'X-Key': `$\{KEY}` }, { KEY: 'of ada' })
    expect(await harness.call('mcp__web__echo', { text: 'hello' })).toMatchObject({ text: 'hello' })
    expect(new Set(asked.map(({ key }) => key))).toEqual(new Set(['of ada']))
    expect(harness.groups).toEqual([])
  })

  it('that answers with 50 MB fails that call only', async () => {
    await using harness = await open()
    expect((await harness.call('mcp__web__big')).text).toContain('more than 16 MB')
    expect(await harness.call('mcp__web__echo', { text: 'on' })).toMatchObject({ text: 'on' })
  })

  it.for([
    ['flood', 'it sent more than 2000 messages in a second without being asked'],
    ['comments', 'it sent more than 2000 messages in a second without being asked'],
    ['endless', 'it sent an event of more than 16 MB'],
  ] as const)('that sends events without end is left, and used again later: %s', async ([tool, why]) => {
    await using harness = await open()
    expect((await harness.call(`mcp__web__${tool}`)).text).toContain(why)
    expect(harness.notes.join()).toContain(`The MCP server web ended: ${why}. It is started again when it is needed.`)
    const again = harness.call('mcp__web__echo', { text: 'on' })
    await vi.waitFor(() => expect(harness.clock.next).toBeDefined(), 30_000)
    harness.clock.advance(1)
    expect(await again).toMatchObject({ text: 'on' })
  })

  it('that wants a login says so, with the command to run, and is not tried again', async () => {
    await using harness = await open('/private')
    const said = harness.notes.join()
    expect(said).toContain('The MCP server web refused the connection (401, it wants Bearer realm="web")')
    expect(said).toContain('"headers": {"Authorization":"Bearer $' + '{WEB_TOKEN}"}')
    expect(harness.servers.status()).toMatchObject([{ status: 'failed' }])
  })

  it('that was restarted and knows no session gets a new one', async () => {
    session = 'first'
    await using harness = await open('/sessions')
    expect(await harness.call('mcp__web__echo', { text: 'one' })).toMatchObject({ text: 'one' })
    session = 'second'
    expect((await harness.call('mcp__web__echo', { text: 'lost' })).text).toContain(
      'it does not know the session any more',
    )
    const again = harness.call('mcp__web__echo', { text: 'two' })
    await vi.waitFor(() => expect(harness.clock.next).toBeDefined(), 30_000)
    harness.clock.advance(1)
    expect(await again).toMatchObject({ text: 'two' })
  })

  it('that redirects to another origin is not followed', async () => {
    await using harness = await open('/moved', { 'X-Key': 'of ada' })
    expect(asked).toEqual([])
    expect(harness.notes.join()).toContain('The MCP server web could not be started')
    expect(harness.servers.tools).toEqual([])
  })

  it('that is not there, or is not one of http, is reported', async () => {
    await using gone = await openServers([readyServer('web', { type: 'http', url: 'http://127.0.0.1:9/mcp' })])
    expect(gone.notes.join()).toContain('The MCP server web could not be started: fetch failed (bad port).')
    await using file = await openServers([readyServer('web', { type: 'http', url: 'file:///etc/passwd' })])
    expect(file.notes.join()).toContain('is not one of http:// or https://')
  })
})
