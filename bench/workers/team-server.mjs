// An OpenAI-compatible model on loopback that takes its time. What it answers follows from the conversation alone:
//   spawn [{…}]             the lead makes these teammates, all in one answer
//   look N times            calls `look` so often, then completes the task it was told with, if any, then says "done"
//   anything else           says when the request came in, on the clock all processes of this machine share
import { createServer } from 'node:http'

const latency = Number(process.argv[2] ?? 0)
let answers = 0
let held = 0

const server = createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const cameIn = process.hrtime.bigint()
    const send = () => {
      held += Number(process.hrtime.bigint() - cameIn) / 1e6
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(body)
    }
    // Working the answer out is part of the time a model takes.
    if (latency > 0) setTimeout(send, latency)
    const body = stream(answerTo(JSON.parse(Buffer.concat(chunks)), cameIn))
    if (latency === 0) send()
  })
})
server.keepAliveTimeout = 60_000
// Timers are never early and often late: asked for it, says how long an answer really took on average.
process.on('message', () => {
  process.send(held / answers)
  held = 0
  answers = 0
})
server.listen(0, '127.0.0.1', () => process.send(server.address().port))

function answerTo({ messages }, cameIn) {
  let made = 0
  for (const { role, content } of messages.toReversed()) {
    if (role === 'assistant') made++
    if (role !== 'user') continue
    const order = ordered(textOf(content), made)
    if (order) return order
  }
  return { text: `${lastWord(messages)} ${cameIn}` }
}

/** What the order in this text comes to after so many answers; undefined where there is none. */
function ordered(text, made) {
  const team = /^spawn (\[.*\])$/m.exec(text)?.[1]
  if (team) return made === 0 ? { calls: JSON.parse(team).map((one) => ['Task', one]) } : { text: 'Noted.' }
  const times = /look (\d+) times/.exec(text)?.[1]
  if (times === undefined) return undefined
  if (made < Number(times)) return { calls: [['look', { at: 'notes' }]] }
  const taskId = /<task id="(\d+)">/.exec(text)?.[1]
  if (taskId === undefined || made > Number(times)) return { text: 'done' }
  return { calls: [['TaskUpdate', { taskId, status: 'completed', result: 'looked at' }]] }
}

function lastWord(messages) {
  const heard = textOf(messages.findLast(({ role }) => role === 'user')?.content ?? '')
  return /wake \d+/.exec(heard)?.[0] ?? 'heard'
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
