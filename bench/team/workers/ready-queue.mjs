// The work by the loop of another library, or by a bare one: a queue written by hand gives each ready task to a free
// worker as a new conversation. Nothing is stored.
import { serveMakespans } from '../makespans.mjs'
import { orderFor, runReadyQueue, taskGraph } from '../task-graph.mjs'

const [shape, id] = process.argv.slice(2)
const WORKERS = 8
const TURNS = 20
const { openLoop } = await import(`../../peers/loops/${id}.mjs`)
const tasks =
  shape === 'separate'
    ? Array.from({ length: WORKERS }, (_, i) => ({ id: String(i + 1), turns: TURNS, blockedBy: [] }))
    : taskGraph(shape === 'varied' ? shape : Number(shape))

serveMakespans(async (url, span) => {
  const converse = openLoop({ url, protocol: 'openai', model: 'bench' })
  await span.begin()
  await runReadyQueue(tasks, WORKERS, async ({ turns }) => {
    const calls = await converse({ system: 'You work on tasks.', prompt: orderFor(turns), maxTurns: turns })
    if (calls !== turns - 1) throw new Error(`${id} made ${calls} tool calls instead of ${turns - 1}`)
  })
  span.end()
})
