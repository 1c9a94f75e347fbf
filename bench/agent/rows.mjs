import { cpuPerTurn } from './conversation.mjs'
import { peerRow } from './peers.mjs'
import { protocols } from './protocols.mjs'

// The provider packages run unmodified and convert the whole conversation again for every turn, so most of a turn's CPU
// is theirs and grows with its length. These rows publish that cost and have no goal (docs/decisions/0010).
const published = Object.entries(protocols).flatMap(([protocol, { name }]) => [
  turnRow(protocol, name, { turns: 50, times: 60, rounds: 2 }),
  turnRow(protocol, name, { turns: 1000, times: 2, rounds: 1 }),
])

function turnRow(protocol, name, { turns, times, rounds }) {
  return {
    id: `agent-${turns}-turns-${protocol}`,
    name: `CPU of a durable tool turn, ${name}, ${turns.toLocaleString('en')} turns`,
    against: 'bare undici + JSON',
    unit: 'ms',
    goal: 'published cost',
    rounds,
    round: () => cpuPerTurn({ turns, times, protocol }),
  }
}

export default [
  ...published,
  peerRow('AI SDK', 'ai-sdk', ['ai', '@ai-sdk/openai-compatible', 'zod']),
  peerRow('Mastra', 'mastra', ['@mastra/core/agent', '@mastra/core/tools', 'zod']),
  peerRow('OpenAI Agents', 'openai-agents', ['@openai/agents', 'openai', 'zod']),
]
