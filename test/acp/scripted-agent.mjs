// An agent of another vendor for tests: it speaks the Agent Client Protocol on stdin and stdout, and does what ACP_STEPS says. That is a
// list of lives of this program, each a list of prompts, each a list of steps; the last of each list is repeated. What it receives is
// appended to the file ACP_LOG, one JSON line each.
import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { Readable, Writable } from 'node:stream'
import { agent, methods, ndJsonStream, PROTOCOL_VERSION, RequestError } from '@agentclientprotocol/sdk'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const { ACP_LOG, ACP_STEPS = '[[[{"say":"done"}]]]', ACP_LOAD, ACP_WATCH, ACP_MODES, ACP_NO_HTTP } = process.env

const log = (what) => appendFileSync(ACP_LOG, `${JSON.stringify({ ...what, at: Date.now() })}\n`)
const entries = () =>
  existsSync(ACP_LOG)
    ? readFileSync(ACP_LOG, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    : []

const life = entries().filter(({ event }) => event === 'start').length
log({ event: 'start', env: process.env, cwd: process.cwd() })
const starts = JSON.parse(ACP_STEPS)
const prompts = starts[Math.min(life, starts.length - 1)]
let prompted = 0
let cancelled = () => {}
let isCancelled = false
let servers = []

const named = (list) => Object.fromEntries(list.map(({ name, value }) => [name, value]))
const overHttp = ({ url, headers }) =>
  new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: named(headers) } })
const onStdio = ({ command, args, env }) => new StdioClientTransport({ command, args, env: named(env) })

/** Calls a tool of our MCP server, as the model of a vendor's agent would. */
async function callTool(name, input) {
  const [server] = servers
  const mcp = new Client({ name: 'scripted', version: '1' })
  await mcp.connect(server.command === undefined ? overHttp(server) : onStdio(server))
  try {
    const { tools } = await mcp.listTools()
    const result = await mcp.callTool({ name, arguments: input })
    log({ event: 'tool', name, offered: tools.map((tool) => tool.name), result })
  } finally {
    await mcp.close()
  }
}

/** What the file system lets this program do. */
function touch({ read, write, link, to }) {
  try {
    if (read !== undefined) return statSync(read).isDirectory() ? readdirSync(read).join() : readFileSync(read, 'utf8')
    if (write !== undefined) writeFileSync(write, 'written by an agent')
    if (link !== undefined) symlinkSync(to, link)
    return 'done'
  } catch ({ code }) {
    return code
  }
}

async function step(one, { sessionId, client, text }) {
  const update = (given) => client.notify(methods.client.session.update, { sessionId, update: given })
  const ask = (given) => client.request(methods.client.session.requestPermission, { sessionId, ...given })
  if (one.say !== undefined)
    await update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: one.say } })
  if (one.update) await update(one.update)
  if (one.touch) log({ event: 'touch', ...one.touch, result: touch(one.touch) })
  if (one.tool) {
    const task = /<task id="([^"]+)">/.exec(text)?.[1]
    await callTool(one.tool, JSON.parse(JSON.stringify(one.input ?? {}).replaceAll('$task', task ?? '')))
  }
  if (one.ask) {
    const kinds = ['allow_always', 'allow_once', 'reject_once']
    const options = one.options ?? kinds.map((kind) => ({ optionId: kind, name: kind, kind }))
    log({ event: 'answer', of: one.ask.title, answer: await ask({ toolCall: one.ask, options }) })
  }
  if (one.request) {
    const answer = await client
      .request(one.request.method, { sessionId, ...one.request.params })
      .catch(({ code }) => ({ code }))
    log({ event: 'request', method: one.request.method, answer })
  }
  if (one.flood)
    for (let i = 0; i < one.flood; i++) process.stdout.write(`${JSON.stringify(floodLine(sessionId, i))}\n`)
  if (one.raw !== undefined) process.stdout.write(`${one.raw}\n`)
  if (one.wait === 'cancel') {
    await new Promise((resolve) => {
      cancelled = resolve
      if (isCancelled) resolve()
    })
    return 'cancelled'
  }
  if (one.wait === 'forever') await new Promise(() => {})
  if (one.exit !== undefined) {
    process.stderr.write('the scripted agent dies\n')
    process.exit(one.exit)
  }
  return one.stop
}

function floodLine(sessionId, i) {
  const content = { type: 'text', text: `flood ${i} ` }
  return {
    jsonrpc: '2.0',
    method: 'session/update',
    params: { sessionId, update: { sessionUpdate: 'agent_message_chunk', content } },
  }
}

const modes = ACP_MODES && {
  currentModeId: ACP_MODES.split(',')[0],
  availableModes: ACP_MODES.split(',').map((id) => ({ id, name: id })),
}

const app = agent({ name: 'scripted' })
  .onRequest(methods.agent.initialize, async ({ params }) => {
    log({ event: 'initialize', params })
    if (prompts === 'hang') await new Promise(() => {})
    const agentCapabilities = { loadSession: ACP_LOAD === '1', mcpCapabilities: { http: ACP_NO_HTTP !== '1' } }
    const authMethods = process.env.ACP_AUTH ? [{ id: process.env.ACP_AUTH, name: 'a key' }] : []
    return { protocolVersion: PROTOCOL_VERSION, agentCapabilities, authMethods }
  })
  .onRequest(methods.agent.authenticate, ({ params }) => {
    log({ event: 'authenticate', params })
    return {}
  })
  .onRequest(methods.agent.session.new, ({ params }) => {
    log({ event: 'new', params })
    if (prompts === 'sign in') throw RequestError.authRequired()
    servers = params.mcpServers
    return { sessionId: `session-${life}`, ...(modes && { modes }) }
  })
  .onRequest(methods.agent.session.load, async ({ params, client }) => {
    log({ event: 'load', params })
    servers = params.mcpServers
    const { sessionId } = params
    const update = (given) => client.notify(methods.client.session.update, { sessionId, update: given })
    const content = { type: 'text', text: 'words of the history' }
    await update({ sessionUpdate: 'user_message_chunk', content })
    await update({ sessionUpdate: 'agent_message_chunk', content })
    await update({ sessionUpdate: 'tool_call', toolCallId: 'old', title: 'an old call', status: 'completed' })
    return modes ? { modes } : {}
  })
  .onRequest(methods.agent.session.setMode, ({ params }) => {
    log({ event: 'mode', params })
    return {}
  })
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    const text = params.prompt.map((block) => block.text ?? '').join('\n')
    // What stands on disk at this moment.
    const recorded = ACP_WATCH && existsSync(ACP_WATCH) ? readFileSync(ACP_WATCH, 'utf8') : undefined
    log({ event: 'prompt', text, recorded })
    isCancelled = false
    const steps = prompts[Math.min(prompted++, prompts.length - 1)]
    let stopReason = 'end_turn'
    for (const one of steps) stopReason = (await step(one, { sessionId: params.sessionId, client, text })) ?? stopReason
    const usage = { inputTokens: 100, outputTokens: 20, totalTokens: 120 }
    return { stopReason, ...(process.env.ACP_USAGE && { usage }) }
  })
  .onNotification(methods.agent.session.cancel, ({ params }) => {
    log({ event: 'cancel', params })
    isCancelled = true
    cancelled()
  })

const connection = app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)))
await connection.closed
process.exit(0)
