import { cpuOf, LOOK, LOOKED } from '../agent.mjs'
import { peer } from '../peers.mjs'

const [url, turns, times] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])]
const { stepCountIs, streamText, tool } = peer('ai')
const { createOpenAICompatible } = peer('@ai-sdk/openai-compatible')
const { z } = peer('zod')
const model = createOpenAICompatible({ name: 'bench', baseURL: url, apiKey: 'x' })(`turns-${turns}`)

await cpuOf(times, async () => {
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
    system: 'You lead.',
    prompt: 'go',
    tools: { look },
    stopWhen: stepCountIs(turns + 1),
  })
  for await (const _ of said.fullStream);
  return calls
})
// Timers and connections of its own would keep it here.
process.exit()
