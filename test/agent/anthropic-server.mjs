import { createServer } from 'node:http'

/**
 * A model on loopback that speaks Anthropic's protocol, keeps every request, and answers by the first prompt alone:
 *   spawn [{…}]                        the lead spawns these teammates, all in one answer
 *   read N times, write to NAME        calls `read` N times, and with every fourth call also writes a message to NAME
 * It counts a token for every four bytes, so that a long conversation is compacted.
 */
export async function startAnthropicServer() {
  const bodies = []
  const server = createServer((request, response) => {
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const bytes = Buffer.concat(chunks)
      const body = JSON.parse(bytes)
      bodies.push(body)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(stream(`answer-${bodies.length}`, answerTo(body), Math.ceil(bytes.length / 4)))
    })
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    bodies,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function answerTo({ messages }) {
  const prompt = messages[0].content.map(({ text = '' }) => text).join('\n')
  const made = messages.filter(({ role }) => role === 'assistant').length
  const team = /^spawn (\[.*\])$/m.exec(prompt)?.[1]
  if (team !== undefined && made === 0) return JSON.parse(team).map((teammate) => ['Task', teammate])
  const [, times, other] = /read (\d+) times, write to (\S+)/.exec(prompt) ?? []
  if (team !== undefined || made >= Number(times ?? 0)) return []
  const read = ['read', { file: `notes-${made}` }]
  return made % 4 === 3 ? [read, ['SendMessage', { to: other, content: `I have read ${made} files.` }]] : [read]
}

function stream(id, calls, tokens) {
  const usage = { input_tokens: tokens, output_tokens: 5 }
  const message = { id, type: 'message', role: 'assistant', model: 'bench', content: [], stop_reason: null, usage }
  const blocks = [
    [
      { type: 'text', text: '' },
      { type: 'text_delta', text: calls.length > 0 ? 'Let me do that.' : 'done' },
    ],
    ...calls.map(([name, input], index) => [
      { type: 'tool_use', id: `${id}-${index}`, name, input: {} },
      { type: 'input_json_delta', partial_json: JSON.stringify(input) },
    ]),
  ]
  const events = [
    { type: 'message_start', message },
    ...blocks.flatMap(([content_block, delta], index) => [
      { type: 'content_block_start', index, content_block },
      { type: 'content_block_delta', index, delta },
      { type: 'content_block_stop', index },
    ]),
    {
      type: 'message_delta',
      delta: { stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn', stop_sequence: null },
      usage: { output_tokens: 5 },
    },
    { type: 'message_stop' },
  ]
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}
