// CPU time per turn of teammates that all wake for a message, in teams of several sizes, the smallest first.
import { names, report, run, withSession } from '../session.mjs'

const sizes = process.argv.slice(2).map(Number)
/** Twice, so that conversations that were closed in between are opened again. */
const ROUNDS = 2

const cpuPerTurn = {}
for (const size of sizes) cpuPerTurn[size] = await measureTeam(size)
await report({ cpuPerTurn })

async function measureTeam(size) {
  const model = countingModel()
  return withSession({ model }, async (session) => {
    for (let at = 0; at < size; at += 100) {
      const teammates = names(size)
        .slice(at, at + 100)
        .map((name) => ({ name, prompt: 'Wait for a message.' }))
      await run(session, `call Task ${JSON.stringify(teammates)}`)
    }
    const before = model.turns
    const begin = process.cpuUsage()
    for (let round = 1; round <= ROUNDS; round++) {
      const messages = names(size).map((to) => ({ to, content: `Message ${round}` }))
      await run(session, `call SendMessage ${JSON.stringify(messages)}`)
    }
    const { user, system } = process.cpuUsage(begin)
    const turns = model.turns - before
    if (turns < ROUNDS * size) throw new Error(`${size} teammates took ${turns} turns after ${ROUNDS} messages each`)
    return (user + system) / 1000 / turns
  })
}

/** Answers that it is ready; as the lead it makes the calls of the prompt. */
function countingModel() {
  const model = {
    name: 'bench',
    provider: 'bench',
    account: 'bench',
    context: undefined,
    price: undefined,
    turns: 0,
    async *reply({ agent, turns }) {
      if (agent !== 'lead') model.turns++
      const last = turns.at(-1)
      const text = last.role === 'user' ? last.content.map((part) => part.text).join('\n') : ''
      const [, toolName, inputs] = (agent === 'lead' && /^call (\w+) (\[.*\])$/m.exec(text)) || []
      const content = inputs
        ? JSON.parse(inputs).map((input, i) => ({
            type: 'tool-call',
            toolCallId: `call-${toolName}-${i}`,
            toolName,
            input,
          }))
        : [{ type: 'text', text: 'Ready.' }]
      const usage = { input: 1, cacheRead: 0, cacheWrite: 0, output: 1 }
      yield { type: 'text', delta: '' }
      return { turn: { role: 'assistant', content }, end: 'finished', usage, cost: 0, model: 'bench' }
    },
  }
  return model
}
