import { createServer } from 'node:http'

/**
 * A model provider on this machine that speaks the wire formats of Google (`:streamGenerateContent`) and OpenAI (`/responses`), streamed.
 * `answer` gets the text of the whole request and the names of the offered tools, and returns `{ text }` or `{ tool, input }`. Ends with
 * `work`, which gets its address, and returns what it was asked.
 */
export async function withOtherProvider(answer, work) {
  const requests = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    const { pathname } = new URL(request.url, 'http://localhost')
    const reply = pathname.endsWith(':streamGenerateContent')
      ? google
      : pathname.endsWith('/responses')
        ? openai
        : undefined
    if (request.method !== 'POST' || !reply) {
      response.writeHead(404, { 'content-type': 'application/json' })
      return response.end('{}')
    }
    const tools = toolNames(JSON.parse(body))
    requests.push({ tools, text: body })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    reply((data) => response.write(data), answer({ tools, text: body }))
    response.end()
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

/** Tools by the names that a call has to use; OpenAI groups some in namespaces. */
function toolNames({ tools = [] }) {
  return tools.flatMap(({ functionDeclarations, name, type, tools: inside }) =>
    functionDeclarations
      ? functionDeclarations.map((one) => one.name)
      : type === 'namespace'
        ? inside.map((one) => `${name}/${one.name}`)
        : (name ?? []),
  )
}

let calls = 0

function google(send, { text, tool, input }) {
  const part = tool ? { functionCall: { name: tool, args: input } } : { text }
  const candidate = { content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 }
  send(`data: ${JSON.stringify({ candidates: [candidate], usageMetadata, modelVersion: 'fake' })}\n\n`)
}

function openai(send, { text, tool, input }) {
  const id = ++calls
  const [namespace, name] = tool?.includes('/') ? tool.split('/') : [undefined, tool]
  const item = tool
    ? {
        type: 'function_call',
        id: `fc_${id}`,
        call_id: `call_${id}`,
        name,
        arguments: JSON.stringify(input),
        ...(namespace && { namespace }),
      }
    : { type: 'message', id: `msg_${id}`, role: 'assistant', content: [{ type: 'output_text', text }] }
  const usage = { input_tokens: 10, output_tokens: 10, total_tokens: 20 }
  const events = [
    { type: 'response.created', response: { id: `resp_${id}` } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id: `resp_${id}`, output: [item], usage } },
  ]
  for (const event of events) send(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
}
