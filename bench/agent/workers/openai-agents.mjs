import { sameStart, serveConversations } from '../conversation.mjs'
import { peer } from '../peers.mjs'
import { CONTENT, READ } from '../protocols.mjs'

const url = process.argv[2]
const turns = Number(process.argv[3])
const { Agent, OpenAIChatCompletionsModel, run, setTracingDisabled, tool } = peer('@openai/agents')
const { OpenAI } = peer('openai')
const { z } = peer('zod')
setTracingDisabled(true)
const model = new OpenAIChatCompletionsModel(new OpenAI({ baseURL: url, apiKey: 'x' }), `turns-${turns}`)

async function converse({ system }) {
  let calls = 0
  const read = tool({
    name: READ.name,
    description: READ.description,
    parameters: z.object({ file: z.string() }),
    execute: () => {
      calls++
      return CONTENT
    },
  })
  const agent = new Agent({ name: 'lead', instructions: system, model, tools: [read] })
  const stream = await run(agent, 'go', { stream: true, maxTurns: turns + 1 })
  for await (const _ of stream);
  await stream.completed
  return calls
}

await serveConversations(async (measured) => {
  const start = await sameStart(url)
  return measured(() => converse(start))
})
// Its timers and connections would keep the process alive.
process.exit()
