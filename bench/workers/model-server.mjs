// An OpenAI-compatible model on loopback that answers at once: a call of `look` for so many turns, then a last word.
import { createServer } from 'node:http'

/** What the last conversation began with: whoever wants to have the same one asks for it. */
let asked

const server = createServer((request, response) => {
  if (request.method === 'GET') return response.end(JSON.stringify(asked))
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    // How many turns it shall be stands in the model's name, how many there were in the last call's id.
    const body = Buffer.concat(chunks)
    const turns = Number((/"turns-(\d+)"/.exec(body.subarray(0, 200)) ?? /"turns-(\d+)"/.exec(body))?.[1] ?? 0)
    const last = body.lastIndexOf('"call_')
    const made = last < 0 ? 0 : Number.parseInt(body.subarray(last + 6, last + 16).toString(), 10)
    if (made === 0) asked = beginning(JSON.parse(body))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(made < turns ? callOf(made + 1) : LAST)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send(server.address().port))

function beginning({ messages, tools }) {
  return { system: messages.find(({ role }) => role === 'system').content, tools }
}

function callOf(number) {
  const call = {
    index: 0,
    id: `call_${number}`,
    type: 'function',
    function: { name: 'look', arguments: '{"at":"notes"}' },
  }
  return stream(`answer-${number}`, [
    { delta: { role: 'assistant', content: 'Let me look at that file before I go on.' } },
    { delta: { tool_calls: [call] } },
    { delta: {}, finish_reason: 'tool_calls' },
  ])
}

const LAST = stream('last', [{ delta: { role: 'assistant', content: 'done' } }, { delta: {}, finish_reason: 'stop' }])

/** Answers have ids of their own: some replace what they heard under the same id before. */
function stream(id, choices) {
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
  const about = { id, object: 'chat.completion.chunk', created: 1, model: 'bench' }
  const lines = choices.map((choice) => ({ ...about, choices: [{ index: 0, finish_reason: null, ...choice }] }))
  const all = [...lines, { ...about, choices: [], usage }].map((line) => `data: ${JSON.stringify(line)}\n\n`)
  return `${all.join('')}data: [DONE]\n\n`
}
