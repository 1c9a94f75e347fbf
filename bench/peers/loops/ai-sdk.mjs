import { CONTENT, NOTE } from '../../agent/protocols.mjs'
import { requirePeer } from '../installed.mjs'

const { stepCountIs, streamText, tool } = requirePeer('ai')
const { createAnthropic } = requirePeer('@ai-sdk/anthropic')
const { createOpenAICompatible } = requirePeer('@ai-sdk/openai-compatible')
const { z } = requirePeer('zod')
// It reports that it does not know the limits of the model.
globalThis.AI_SDK_LOG_WARNINGS = false

/** The streaming loop of the AI SDK. */
export function openLoop({ url, protocol, model: name }) {
  const at = { baseURL: url, apiKey: 'x' }
  const model =
    protocol === 'anthropic' ? createAnthropic(at)(name) : createOpenAICompatible({ name: 'bench', ...at })(name)
  return async ({ system, prompt, maxTurns }) => {
    let calls = 0
    const note = tool({
      description: NOTE.description,
      inputSchema: z.object({ file: z.string() }),
      execute: () => {
        calls++
        return CONTENT
      },
    })
    const stopWhen = stepCountIs(maxTurns + 1)
    const run = streamText({ model, system, prompt, tools: { note }, stopWhen, maxOutputTokens: 8000 })
    for await (const part of run.fullStream) if (part.type === 'error') throw part.error
    return calls
  }
}
