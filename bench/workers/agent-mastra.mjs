import { cpuOf, LOOK, LOOKED } from '../agent.mjs'
import { peer } from '../peers.mjs'

const [url, turns, times] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])]
const { Agent } = peer('@mastra/core/agent')
const { createTool } = peer('@mastra/core/tools')
const { z } = peer('zod')

await cpuOf(times, async () => {
  let calls = 0
  const look = createTool({
    id: 'look',
    description: LOOK.description,
    inputSchema: z.object({ at: z.string() }),
    execute: async () => {
      calls++
      return LOOKED
    },
  })
  const model = { id: `bench/turns-${turns}`, url, apiKey: 'x' }
  const agent = new Agent({ id: 'lead', name: 'lead', instructions: 'You lead.', model, tools: { look } })
  const said = await agent.stream('go', { maxSteps: turns + 1 })
  for await (const _ of said.fullStream);
  return calls
})
// Timers and connections of its own would keep it here.
process.exit()
