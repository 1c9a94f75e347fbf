// The same conversation by a bare loop or by another library. Nothing is stored.
import { sameStart, serveConversations } from '../conversation.mjs'

const [url, turns, protocol, id] = process.argv.slice(2)
const { openLoop } = await import(`../../peers/loops/${id}.mjs`)
const converse = openLoop({ url, protocol, model: `turns-${turns}` })

await serveConversations(async (measured) => {
  const { system, tools } = await sameStart(url)
  const start = id === 'bare' ? { system, tools } : { system: textOf(system) }
  return measured(() => converse({ ...start, prompt: 'go', maxTurns: Number(turns) }))
})
// Timers and connections of some libraries would keep the process alive.
process.exit()

function textOf(system) {
  return typeof system === 'string' ? system : system.map(({ text }) => text).join('\n')
}
