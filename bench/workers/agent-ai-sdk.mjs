import { beginning, converseWhenTold, LOOK, LOOKED } from '../agent.mjs'
import { peer } from '../peers.mjs'

const [url, turns] = [process.argv[2], Number(process.argv[3])]
const { stepCountIs, streamText, tool } = peer('ai')
const { createOpenAICompatible } = peer('@ai-sdk/openai-compatible')
const { z } = peer('zod')
const model = createOpenAICompatible({ name: 'bench', baseURL: url, apiKey: 'x' })(`turns-${turns}`)

async function talk({ system }) {
  let calls = 0
  const look = tool({
    description: LOOK.description,
    inputSchema: z.object({ at: z.string() }),
    execute: () => {
      calls++
      return LOOKED
    },
  })
  const said = streamText({
    model,
    system,
    prompt: 'go',
    tools: { look },
    stopWhen: stepCountIs(turns + 1),
  })
  for await (const _ of said.fullStream);
  return calls
}

await converseWhenTold(async (measured) => {
  const same = await beginning(url)
  return measured(() => talk(same))
})
// Timers and connections of its own would keep it here.
process.exit()
