import { CONTENT, NOTE } from '../../agent/protocols.mjs'
import { requirePeer } from '../installed.mjs'

const { ChatAnthropic } = requirePeer('@langchain/anthropic')
const { tool } = requirePeer('@langchain/core/tools')
const { createReactAgent } = requirePeer('@langchain/langgraph/prebuilt')
const { ChatOpenAI } = requirePeer('@langchain/openai')
const { z } = requirePeer('zod')

/** The prebuilt agent of LangGraph, streaming. */
export function openLoop({ url, protocol, model }) {
  const options = { model, apiKey: 'x', streaming: true, maxTokens: 8000 }
  const llm =
    protocol === 'anthropic'
      ? new ChatAnthropic({ ...options, anthropicApiUrl: url.replace(/\/v1$/, '') })
      : new ChatOpenAI({ ...options, configuration: { baseURL: url } })
  return async ({ system, prompt, maxTurns }) => {
    let calls = 0
    const count = () => {
      calls++
      return CONTENT
    }
    const schema = z.object({ file: z.string() })
    const note = tool(count, { name: NOTE.name, description: NOTE.description, schema })
    const agent = createReactAgent({ llm, tools: [note], prompt: system })
    const messages = [{ role: 'user', content: prompt }]
    // A turn is two steps of its graph: the model and the tools.
    const stream = await agent.stream({ messages }, { streamMode: 'messages', recursionLimit: 2 * maxTurns + 4 })
    for await (const _ of stream);
    return calls
  }
}
