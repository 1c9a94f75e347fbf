// An OpenAI-compatible model on loopback with a latency. Its answer depends on the conversation alone:
//   spawn [{…}]             the lead spawns these teammates, all in one answer
//   note N times            calls `note` N times, then completes the task of the prompt, if any, then answers "done"
//   anything else           answers when the request arrived, on the clock that all processes of this machine share
// `GET …/counts` returns what was requested since the last time it was asked for.
import { createServer } from 'node:http'

const latencyMs = Number(process.argv[2] ?? 0)
let answers = 0
let counts = noCounts()

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(JSON.stringify(counts))
    counts = noCounts()
    return
  }
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const arrived = process.hrtime.bigint()
    const send = () => {
      // Timers are never early and often late, so the real latency counts.
      counts.latencyMs += Number(process.hrtime.bigint() - arrived) / 1e6
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(body)
    }
    // Computing the answer is part of the latency.
    if (latencyMs > 0) setTimeout(send, latencyMs)
    const body = answer(Buffer.concat(chunks), arrived)
    if (latencyMs === 0) send()
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send(server.address().port))
// Without its parent it would listen for ever.
process.on('disconnect', () => process.exit())

function noCounts() {
  return { requests: 0, leadRequests: 0, sentBytes: 0, receivedBytes: 0, latencyMs: 0 }
}

function answer(request, arrived) {
  const { messages } = JSON.parse(request)
  const body = stream(answerTo(messages, arrived))
  counts.requests++
  if (messages.some(({ role, content }) => role === 'user' && teamIn(textOf(content)))) counts.leadRequests++
  counts.sentBytes += request.length
  counts.receivedBytes += body.length
  return body
}

function answerTo(messages, arrived) {
  let made = 0
  for (const { role, content } of messages.toReversed()) {
    if (role === 'assistant') made++
    if (role !== 'user') continue
    const answer = answerToOrder(textOf(content), made)
    if (answer) return answer
  }
  return { text: `${lastMessage(messages)} ${arrived}` }
}

/** The answer to the order in this text after so many answers; undefined for a text without an order. */
function answerToOrder(text, made) {
  const team = teamIn(text)
  if (team) return made === 0 ? { calls: JSON.parse(team).map((one) => ['Task', one]) } : { text: 'Noted.' }
  const times = /note (\d+) times/.exec(text)?.[1]
  if (times === undefined) return undefined
  if (made < Number(times)) return { calls: [['note', { file: 'notes' }]] }
  const taskId = /<task id="(\d+)">/.exec(text)?.[1]
  if (taskId === undefined || made > Number(times)) return { text: 'done' }
  return { calls: [['TaskUpdate', { taskId, status: 'completed', result: 'noted' }]] }
}

function teamIn(text) {
  return /^spawn (\[.*\])$/m.exec(text)?.[1]
}

function lastMessage(messages) {
  const text = textOf(messages.findLast(({ role }) => role === 'user')?.content ?? '')
  return /wake \d+/.exec(text)?.[0] ?? 'received'
}

function textOf(content) {
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('\n')
}

function stream({ text = 'Let me do that.', calls = [] }) {
  const id = `answer-${++answers}`
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
  const about = { id, object: 'chat.completion.chunk', created: 1, model: 'bench' }
  const tools = calls.map(([name, input], index) => ({
    index,
    id: `call_${answers}_${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }))
  const choices = [
    { delta: { role: 'assistant', content: text } },
    ...(tools.length > 0 ? [{ delta: { tool_calls: tools } }] : []),
    { delta: {}, finish_reason: tools.length > 0 ? 'tool_calls' : 'stop' },
  ]
  const lines = choices.map((choice) => ({ ...about, choices: [{ index: 0, finish_reason: null, ...choice }] }))
  const all = [...lines, { ...about, choices: [], usage }].map((line) => `data: ${JSON.stringify(line)}\n\n`)
  return `${all.join('')}data: [DONE]\n\n`
}
