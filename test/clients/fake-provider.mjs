import { createServer } from 'node:http'

/**
 * A model provider on this machine that speaks Anthropic's wire format, streamed and whole. `answer` gets the conversation and the names of
 * the offered tools, and returns what the model says: `{ text }`, `{ tool, input }`, or undefined where it says nothing until the client gives up;
 * or a promise of that. Ends with `work`, which gets its address, and
 * returns what it was asked.
 */
export async function withProvider(answer, work) {
  const requests = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    const { pathname } = new URL(request.url, 'http://localhost')
    if (request.method !== 'POST' || !pathname.endsWith('/messages')) {
      response.writeHead(pathname.endsWith('count_tokens') ? 200 : 404, { 'content-type': 'application/json' })
      return response.end(JSON.stringify({ input_tokens: 10 }))
    }
    const asked = JSON.parse(body)
    const tools = (asked.tools ?? []).map(({ name }) => name)
    requests.push({ tools, messages: asked.messages, key: request.headers['x-api-key'] })
    const said = await answer({ tools, messages: asked.messages })
    if (said) reply(response, asked, said)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    await work(`http://127.0.0.1:${server.address().port}`)
    return requests
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

let calls = 0

function reply(response, { stream, model }, said) {
  const block = said.tool
    ? { type: 'tool_use', id: `toolu_${++calls}`, name: said.tool, input: said.input ?? {} }
    : { type: 'text', text: said.text }
  const usage = { input_tokens: 10, output_tokens: 10 }
  const reason = said.tool ? 'tool_use' : 'end_turn'
  const base = { id: `msg_${calls}`, type: 'message', role: 'assistant', model, stop_sequence: null, usage }
  if (!stream) {
    response.writeHead(200, { 'content-type': 'application/json' })
    return response.end(JSON.stringify({ ...base, content: [block], stop_reason: reason }))
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (type, data) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
  send('message_start', { message: { ...base, content: [], stop_reason: null } })
  const empty = said.tool ? { ...block, input: {} } : { ...block, text: '' }
  const delta = said.tool
    ? { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }
    : { type: 'text_delta', text: block.text }
  send('content_block_start', { index: 0, content_block: empty })
  send('content_block_delta', { index: 0, delta })
  send('content_block_stop', { index: 0 })
  send('message_delta', { delta: { stop_reason: reason, stop_sequence: null }, usage })
  send('message_stop', {})
  response.end()
}

/** A model that calls this tool once, as soon as it is offered, and then ends its turn. */
export function claiming(name) {
  return ({ tools, messages }) =>
    tools.includes(name) && toolResults(messages).length === 0 ? { tool: name } : { text: 'done' }
}

/** What the model was offered and read: a claim, and that the task is its own. */
export function provenClaim(requests) {
  const results = requests.flatMap(({ messages }) => toolResults(messages))
  if (!results.some((text) => text.includes('in_progress'))) throw new Error(`the model read ${results.join()}`)
  const most = Math.max(...requests.map(({ tools }) => tools.filter((name) => /deskmates/.test(name)).length))
  return [`${most} tools listed`, 'a claim by its model', 'the result read']
}

/** All tool results of a conversation, as text. */
export function toolResults(messages) {
  return messages.flatMap(({ content }) =>
    Array.isArray(content)
      ? content.filter(({ type }) => type === 'tool_result').map((part) => JSON.stringify(part))
      : [],
  )
}
