import { cpuOf, LOOK, LOOKED } from '../agent.mjs'
import { peer } from '../peers.mjs'

const [url, turns, times] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])]
const { Agent, OpenAIChatCompletionsModel, run, setTracingDisabled, tool } = peer('@openai/agents')
const { OpenAI } = peer('openai')
const { z } = peer('zod')
setTracingDisabled(true)
const model = new OpenAIChatCompletionsModel(new OpenAI({ baseURL: url, apiKey: 'x' }), `turns-${turns}`)

await cpuOf(times, async () => {
  let calls = 0
  const look = tool({
    name: 'look',
    description: LOOK.description,
    parameters: z.object({ at: z.string() }),
    execute: () => {
      calls++
      return LOOKED
    },
  })
  const agent = new Agent({ name: 'lead', instructions: 'You lead.', model, tools: [look] })
  const said = await run(agent, 'go', { stream: true, maxTurns: turns + 1 })
  for await (const _ of said);
  await said.completed
  return calls
})
// Timers and connections of its own would keep it here.
process.exit()
