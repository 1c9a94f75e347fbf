// As many bare loops side by side as there would be teammates. Over when the last of them has ended.
import { LOOK } from '../agent.mjs'
import { bareTalk } from '../bare.mjs'
import { bestSpan, found, names } from '../team.mjs'

const [mates, turns, times] = process.argv.slice(2).map(Number)
const { name, description, schema: parameters } = LOOK
const tools = [{ type: 'function', function: { name, description, parameters } }]
const told = { model: 'bench', system: 'You look.', tools, prompt: `look ${turns - 1} times` }

const best = await bestSpan(times, turns, async (url) => {
  const begin = performance.now()
  await Promise.all(names(mates).map(() => bareTalk(url, told)))
  return performance.now() - begin
})
await found(best)
