import { sameStart, serveConversations } from '../conversation.mjs'
import { peer } from '../peers.mjs'
import { CONTENT, READ } from '../protocols.mjs'

const url = process.argv[2]
const turns = Number(process.argv[3])
const { Agent } = peer('@mastra/core/agent')
const { createTool } = peer('@mastra/core/tools')
const { z } = peer('zod')

async function converse({ system }) {
  let calls = 0
  const read = createTool({
    id: READ.name,
    description: READ.description,
    inputSchema: z.object({ file: z.string() }),
    execute: async () => {
      calls++
      return CONTENT
    },
  })
  const model = { id: `bench/turns-${turns}`, url, apiKey: 'x' }
  const agent = new Agent({ id: 'lead', name: 'lead', instructions: system, model, tools: { read } })
  const run = await agent.stream('go', { maxSteps: turns + 1 })
  for await (const _ of run.fullStream);
  return calls
}

await serveConversations(async (measured) => {
  const start = await sameStart(url)
  return measured(() => converse(start))
})
// Its timers and connections would keep the process alive.
process.exit()
