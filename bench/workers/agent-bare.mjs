// The limit: what a conversation with tools costs when nothing is kept, checked or shown.
import { beginning, converseWhenTold } from '../agent.mjs'
import { bareTalk } from '../bare.mjs'

const [url, turns] = [process.argv[2], Number(process.argv[3])]

await converseWhenTold(async (measured) => {
  const same = await beginning(url)
  return measured(() => bareTalk(url, { ...same, model: `turns-${turns}`, prompt: 'go' }))
})
