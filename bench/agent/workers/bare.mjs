// The limit: what a conversation with tools costs when nothing is stored, checked or shown.
import { converseBare } from '../bare-loop.mjs'
import { sameStart, serveConversations } from '../conversation.mjs'

const [url, turns, protocol] = process.argv.slice(2)

await serveConversations(async (measured) => {
  const start = await sameStart(url)
  return measured(() => converseBare(url, { ...start, model: `turns-${turns}`, prompt: 'go' }, protocol))
})
