import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../cli/command-harness.ts'

const TOKEN = 'access-of-ada'
const server = createServer((request, response) => void answer(request, response))
let cli: CommandHarness
let url: string

beforeEach(async () => {
  cli = commandHarness()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
})
afterEach(async () => {
  cli.close()
  await new Promise<void>((resolve) => void server.close(() => resolve()))
})

/** A server with one tool, for callers with the token. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.headers.authorization !== `Bearer ${TOKEN}`)
    return void response.writeHead(401, { 'www-authenticate': 'Bearer realm="issues"' }).end()
  if (request.method !== 'POST') return void response.writeHead(405).end()
  const body: Buffer[] = []
  for await (const bytes of request) body.push(bytes as Buffer)
  const { id, method, params } = JSON.parse(Buffer.concat(body).toString())
  if (id === undefined) return void response.writeHead(202).end()
  const results: Record<string, object> = {
    initialize: {
      ...{ protocolVersion: params?.protocolVersion, capabilities: { tools: {} } },
      serverInfo: { name: 'issues', version: '1' },
    },
    'tools/list': { tools: [{ name: 'get', inputSchema: { type: 'object' } }] },
  }
  const result = results[method] ?? {}
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }))
}

/** The words of a command line as a shell reads them. */
const words = (line: string) => [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!)
const checked = async () => {
  const { stdout, stderr } = await cli.run('mcp list')
  return { text: stdout + stderr, isWorking: /my issues\s.*works, 1 tool/.test(stdout) }
}

describe('a server that wants a login', { timeout: 60_000 }, () => {
  it.for(['local', 'project'] as const)(
    'of the scope %s works with the commands that its error names',
    async (scope) => {
      await cli.ok(['mcp', 'add', '--scope', scope, 'my issues', url])
      if (scope === 'project') await cli.ok('trust')
      const { text } = await checked()
      expect(text).toContain(
        'The MCP server my issues refused the connection (401, it wants Bearer realm="issues"): it needs a login.',
      )
      const [, variable = ''] = /set the variable (\w+) to it/.exec(text) ?? []
      Object.assign(cli.env, { [variable]: TOKEN })
      const [, commands = ''] = /Then run: (.*?'Authorization[^']*')/.exec(text) ?? []
      for (const line of commands.split(' && ')) await cli.ok(words(line).slice(1))
      expect((await checked()).isWorking).toBe(true)
    },
  )

  it('of the user is to get the header in the file that names it', async () => {
    await cli.ok(['mcp', 'add', '--scope', 'user', 'my issues', url])
    const file = join(cli.env.HOME!, '.config/deskmates/mcp.json')
    const { text } = await checked()
    const [, headers = ''] = text.split(`Then add to the entry my issues of ${file}: "headers": `)
    const entry = { type: 'http', url, headers: JSON.parse(/^\{.*?\}"\}/.exec(headers)![0]) }
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, JSON.stringify({ mcpServers: { 'my issues': entry } }))
    Object.assign(cli.env, { MY_ISSUES_TOKEN: TOKEN })
    expect((await checked()).isWorking).toBe(true)
  })

  it('and refuses a token says which variable to renew, and never shows the token', async () => {
    await cli.ok(['mcp', 'add', 'my issues', url, '--header', `Authorization: Bearer $\{OLD}`])
    Object.assign(cli.env, { OLD: 'expired-token-1' })
    const { text } = await checked()
    expect(text).toContain('it does not accept the Authorization header of its entry.')
    expect(text).toContain('set the variable OLD to it. A login with OAuth in the browser is not supported.')
    expect(text).not.toContain('expired-token-1')
    Object.assign(cli.env, { OLD: TOKEN })
    expect((await checked()).isWorking).toBe(true)
  })
})
