import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { leadAnswer } from '../../src/cli/demo/lead-script.ts'
import { teammateAnswer } from '../../src/cli/demo/teammate-script.ts'
import type { ModelRequest, Turn } from '../../src/models/model.ts'

/** As much of a request to Anthropic as tells a conversation. */
interface Asked {
  readonly system: readonly { readonly text: string }[]
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: readonly Part[] }[]
}

type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown }
  | {
      readonly type: 'tool_result'
      readonly tool_use_id: string
      readonly content: string | readonly { text: string }[]
    }

export interface Provider extends AsyncDisposable {
  readonly url: string
  /** How often each agent has asked. */
  readonly calls: Map<string, number>
}

/** A provider that speaks Anthropic's protocol and thinks like the agents of the demo. It sees what goes over the wire. */
export async function openProvider(): Promise<Provider> {
  const calls = new Map<string, number>()
  let answers = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const asked: Asked = JSON.parse(Buffer.concat(chunks).toString())
    const conversation = conversationOf(asked)
    const { agent } = conversation
    calls.set(agent, (calls.get(agent) ?? 0) + 1)
    const { text, calls: wanted = [] } = agent === 'lead' ? leadAnswer(conversation) : teammateAnswer(conversation)
    const id = `msg_${++answers}`
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const parts = [
      ...(text ? [{ begin: { type: 'text', text: '' }, delta: { type: 'text_delta', text } }] : []),
      ...wanted.map(({ tool, input = {} }, i) => ({
        begin: { type: 'tool_use', id: `toolu_${answers}_${i}`, name: tool, input: {} },
        delta: { type: 'input_json_delta', partial_json: JSON.stringify(input) },
      })),
    ]
    const usage = { input_tokens: 10, output_tokens: 5 }
    const message = { id, type: 'message', role: 'assistant', model: 'any', content: [], stop_reason: null, usage }
    const stop_reason = wanted.length > 0 ? 'tool_use' : 'end_turn'
    response.end(
      [
        { type: 'message_start', message },
        ...parts.flatMap(({ begin, delta }, index) => [
          { type: 'content_block_start', index, content_block: begin },
          { type: 'content_block_delta', index, delta },
          { type: 'content_block_stop', index },
        ]),
        { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
        { type: 'message_stop' },
      ]
        .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
        .join(''),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function conversationOf({ system, messages }: Asked): ModelRequest {
  const words = system.map(({ text }) => text).join('\n')
  const names = new Map<string, string>()
  for (const { content } of messages)
    for (const part of content) if (part.type === 'tool_use') names.set(part.id, part.name)
  return {
    agent: /^You are ([\w-]+), a teammate/.exec(words)?.[1] ?? 'lead',
    system: words,
    turns: messages.flatMap(({ role, content }) => (role === 'assistant' ? [said(content)] : received(content, names))),
    tools: [],
  }
}

function said(content: readonly Part[]): Turn {
  const parts = content.flatMap((part): object[] => {
    if (part.type === 'text') return [part]
    if (part.type === 'tool_result') return []
    return [{ type: 'tool-call' as const, toolCallId: part.id, toolName: part.name, input: part.input }]
  })
  return { role: 'assistant', content: parts } as Turn
}

/** Results and what came in meanwhile are one message there, and two turns here. */
function received(content: readonly Part[], names: ReadonlyMap<string, string>): Turn[] {
  const results = content.flatMap((part) => {
    if (part.type !== 'tool_result') return []
    const { tool_use_id: toolCallId, content: made } = part
    const value = typeof made === 'string' ? made : made.map(({ text }) => text).join('')
    return [{ type: 'tool-result', toolCallId, toolName: names.get(toolCallId), output: { type: 'text', value } }]
  })
  const texts = content.filter(({ type }) => type === 'text')
  return [
    ...(results.length > 0 ? [{ role: 'tool', content: results } as unknown as Turn] : []),
    ...(texts.length > 0 ? [{ role: 'user', content: texts } as Turn] : []),
  ]
}
