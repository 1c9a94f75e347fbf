import { request } from 'undici'
import { LOOKED } from './agent.mjs'

/** A conversation with tools by a loop that keeps, checks and shows nothing; how many tools it called. */
export async function bareTalk(url, { model, system, tools, prompt }) {
  const messages = [
    { role: 'system', content: system },
    { role: 'user', content: prompt },
  ]
  for (let calls = 0; ; calls++) {
    const body = JSON.stringify({ model, messages, tools, stream: true, max_tokens: 8000 })
    const response = await request(`${url}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer x' },
      body,
    })
    const message = { role: 'assistant', content: '', tool_calls: [] }
    // As it comes, like everybody who shows what a model says.
    let rest = ''
    for await (const chunk of response.body.setEncoding('utf8')) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop()
      for (const line of lines) take(line, message)
    }
    if (message.tool_calls.length === 0) return calls
    messages.push(message)
    for (const call of message.tool_calls) {
      JSON.parse(call.function.arguments)
      messages.push({ role: 'tool', tool_call_id: call.id, content: LOOKED })
    }
  }
}

function take(line, message) {
  if (!line.startsWith('data: {')) return
  const delta = JSON.parse(line.slice(6)).choices[0]?.delta
  if (delta?.content) message.content += delta.content
  for (const { index: _, ...call } of delta?.tool_calls ?? []) message.tool_calls.push(call)
}
