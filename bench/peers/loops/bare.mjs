import { request } from 'undici'
import { NOTE, protocols } from '../../agent/protocols.mjs'

/**
 * The limit: a conversation with tools by undici and JSON, which stores, checks and shows nothing. With `tools` it offers
 * these instead of the one it calls, so that it sends as many bytes as another side.
 */
export function openLoop({ url, protocol, model }) {
  const { path, headers, tool, messages: begin, body, readEvent, continue: turnsAfter } = protocols[protocol]
  return async ({ system, prompt, tools = [tool(NOTE)] }) => {
    const conversation = { model, system, tools, prompt }
    const messages = begin(conversation)
    for (let calls = 0; ; calls++) {
      const response = await request(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body(conversation, messages)),
      })
      const answer = { text: '', calls: [] }
      // Read piece by piece, like every program that shows an answer while it is written.
      let rest = ''
      for await (const chunk of response.body.setEncoding('utf8')) {
        const lines = (rest + chunk).split('\n')
        rest = lines.pop()
        for (const line of lines) if (line.startsWith('data: {')) readEvent(JSON.parse(line.slice(6)), answer)
      }
      if (answer.calls.length === 0) return calls
      messages.push(...turnsAfter(answer))
    }
  }
}
