// The limit: what a conversation with tools costs when nothing is kept, checked or shown.
import { request } from 'undici'
import { beginning, converseWhenTold, LOOKED } from '../agent.mjs'

const [url, turns] = [process.argv[2], Number(process.argv[3])]

async function talk({ system, tools }) {
  const messages = [
    { role: 'system', content: system },
    { role: 'user', content: 'go' },
  ]
  for (let calls = 0; ; calls++) {
    const body = JSON.stringify({ model: `turns-${turns}`, messages, tools, stream: true, max_tokens: 8000 })
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

await converseWhenTold(async (measured) => {
  const same = await beginning(url)
  return measured(() => talk(same))
})

function take(line, message) {
  if (!line.startsWith('data: {')) return
  const delta = JSON.parse(line.slice(6)).choices[0]?.delta
  if (delta?.content) message.content += delta.content
  for (const { index: _, ...call } of delta?.tool_calls ?? []) message.tool_calls.push(call)
}
