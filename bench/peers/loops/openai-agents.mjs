import { CONTENT, NOTE } from '../../agent/protocols.mjs'
import { requirePeer } from '../installed.mjs'

const { Agent, OpenAIChatCompletionsModel, run, setTracingDisabled, tool } = requirePeer('@openai/agents')
const { OpenAI } = requirePeer('openai')
const { z } = requirePeer('zod')
setTracingDisabled(true)

/** The streaming loop of the OpenAI Agents SDK. */
export function openLoop({ url, model: name }) {
  const model = new OpenAIChatCompletionsModel(new OpenAI({ baseURL: url, apiKey: 'x' }), name)
  return async ({ system, prompt, maxTurns }) => {
    let calls = 0
    const note = tool({
      name: NOTE.name,
      description: NOTE.description,
      parameters: z.object({ file: z.string() }),
      execute: () => {
        calls++
        return CONTENT
      },
    })
    const agent = new Agent({ name: 'bench', instructions: system, model, tools: [note] })
    const stream = await run(agent, prompt, { stream: true, maxTurns: maxTurns + 1 })
    for await (const _ of stream);
    await stream.completed
    return calls
  }
}
