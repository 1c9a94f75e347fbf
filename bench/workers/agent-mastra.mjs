import { beginning, converseWhenTold, LOOK, LOOKED } from '../agent.mjs'
import { peer } from '../peers.mjs'

const [url, turns] = [process.argv[2], Number(process.argv[3])]
const { Agent } = peer('@mastra/core/agent')
const { createTool } = peer('@mastra/core/tools')
const { z } = peer('zod')

async function talk({ system }) {
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
  const agent = new Agent({ id: 'lead', name: 'lead', instructions: system, model, tools: { look } })
  const said = await agent.stream('go', { maxSteps: turns + 1 })
  for await (const _ of said.fullStream);
  return calls
}

await converseWhenTold(async (measured) => {
  const same = await beginning(url)
  return measured(() => talk(same))
})
// Timers and connections of its own would keep it here.
process.exit()
