// An agent of another vendor in one file without packages, so that a sandbox shows nothing of this repository for it. It uses MCP servers
// on stdin and stdout only, and completes the task that its prompt names.
const { spawn } = require('node:child_process')
const { createInterface } = require('node:readline')

const speak = (stream, message) => stream.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const answer = (id, result) => speak(process.stdout, { id, result })
let server

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === 'initialize') answer(id, { protocolVersion: 1, agentCapabilities: {}, authMethods: [] })
  if (method === 'session/new') {
    server = params.mcpServers[0]
    answer(id, { sessionId: 'one' })
  }
  if (method === 'session/prompt') {
    const words = params.prompt.map(({ text = '' }) => text).join('\n')
    await complete(/<task id="([^"]+)">/.exec(words)[1])
    answer(id, { stopReason: 'end_turn' })
  }
})

async function complete(taskId) {
  const env = { ...process.env, ...Object.fromEntries(server.env.map(({ name, value }) => [name, value])) }
  const child = spawn(server.command, server.args, { env, stdio: ['pipe', 'pipe', 'inherit'] })
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const request = async (id, method, params) => {
    speak(child.stdin, { id, method, params })
    for (let line = await answers.next(); !line.done; line = await answers.next())
      if (JSON.parse(line.value).id === id) return
    throw new Error('the server ended')
  }
  const clientInfo = { name: 'bare', version: '1' }
  await request(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
  speak(child.stdin, { method: 'notifications/initialized' })
  const input = { taskId, status: 'completed', result: 'by the bridge' }
  await request(2, 'tools/call', { name: 'TaskUpdate', arguments: input })
  child.stdin.end()
}
