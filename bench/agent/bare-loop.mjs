import { request } from 'undici'
import { protocols } from './protocols.mjs'

/** A conversation with tools by a loop that stores, checks and shows nothing. Returns how many tools it called. */
export async function converseBare(url, conversation, protocol = 'openai') {
  const { path, headers, messages: begin, body, readEvent, continue: turnsAfter } = protocols[protocol]
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
