import { CONTENT, NOTE } from '../../agent/protocols.mjs'
import { requirePeer } from '../installed.mjs'

const { createAnthropic } = requirePeer('@ai-sdk/anthropic')
const { Agent } = requirePeer('@mastra/core/agent')
const { createTool } = requirePeer('@mastra/core/tools')
const { z } = requirePeer('zod')

/** The agent of Mastra, streaming. */
export function openLoop({ url, protocol, model: name }) {
  const model =
    protocol === 'anthropic'
      ? createAnthropic({ baseURL: url, apiKey: 'x' })(name)
      : { id: `bench/${name}`, url, apiKey: 'x' }
  return async ({ system, prompt, maxTurns }) => {
    let calls = 0
    const note = createTool({
      id: NOTE.name,
      description: NOTE.description,
      inputSchema: z.object({ file: z.string() }),
      execute: async () => {
        calls++
        return CONTENT
      },
    })
    const agent = new Agent({ id: 'bench', name: 'bench', instructions: system, model, tools: { note } })
    const run = await agent.stream(prompt, { maxSteps: maxTurns + 1 })
    for await (const _ of run.fullStream);
    return calls
  }
}
