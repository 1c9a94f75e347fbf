// As many concurrent bare loops as there would be teammates. Ends when the last of them has ended.
import { converseBare } from '../../agent/bare-loop.mjs'
import { READ } from '../../agent/protocols.mjs'
import { bestSpan, names, report } from '../session.mjs'

const [mates, turns, times] = process.argv.slice(2).map(Number)
const { name, description, schema: parameters } = READ
const tools = [{ type: 'function', function: { name, description, parameters } }]
const conversation = { model: 'bench', system: 'You read files.', tools, prompt: `read ${turns - 1} times` }

const best = await bestSpan(times, turns, async (url) => {
  const begin = performance.now()
  await Promise.all(names(mates).map(() => converseBare(url, conversation)))
  return performance.now() - begin
})
await report(best)
