import { beginning, converseWhenTold, LOOK, LOOKED } from '../agent.mjs'
import { peer } from '../peers.mjs'

const [url, turns] = [process.argv[2], Number(process.argv[3])]
const { Agent, OpenAIChatCompletionsModel, run, setTracingDisabled, tool } = peer('@openai/agents')
const { OpenAI } = peer('openai')
const { z } = peer('zod')
setTracingDisabled(true)
const model = new OpenAIChatCompletionsModel(new OpenAI({ baseURL: url, apiKey: 'x' }), `turns-${turns}`)

async function talk({ system }) {
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
  const agent = new Agent({ name: 'lead', instructions: system, model, tools: [look] })
  const said = await run(agent, 'go', { stream: true, maxTurns: turns + 1 })
  for await (const _ of said);
  await said.completed
  return calls
}

await converseWhenTold(async (measured) => {
  const same = await beginning(url)
  return measured(() => talk(same))
})
// Timers and connections of its own would keep it here.
process.exit()
