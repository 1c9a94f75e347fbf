import { sameStart, serveConversations } from '../conversation.mjs'
import { peer } from '../peers.mjs'
import { CONTENT, READ } from '../protocols.mjs'

const url = process.argv[2]
const turns = Number(process.argv[3])
const { stepCountIs, streamText, tool } = peer('ai')
const { createOpenAICompatible } = peer('@ai-sdk/openai-compatible')
const { z } = peer('zod')
const model = createOpenAICompatible({ name: 'bench', baseURL: url, apiKey: 'x' })(`turns-${turns}`)

async function converse({ system }) {
  let calls = 0
  const read = tool({
    description: READ.description,
    inputSchema: z.object({ file: z.string() }),
    execute: () => {
      calls++
      return CONTENT
    },
  })
  const run = streamText({
    model,
    system,
    prompt: 'go',
    tools: { read },
    stopWhen: stepCountIs(turns + 1),
  })
  for await (const _ of run.fullStream);
  return calls
}

await serveConversations(async (measured) => {
  const start = await sameStart(url)
  return measured(() => converse(start))
})
// Its timers and connections would keep the process alive.
process.exit()
