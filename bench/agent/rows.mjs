import { peers, whyMissing } from '../peers/installed.mjs'
import { cpuPerTurn } from './conversation.mjs'
import { protocols } from './protocols.mjs'

const LENGTHS = [
  { turns: 50, warmUps: 10, rounds: 5, each: 2 },
  { turns: 1000, warmUps: 0, rounds: 3, each: 1 },
]
/** Of the CPU of the AI SDK's streaming loop, which stores nothing. */
const AT_MOST = 1.1

/** One measurement for each wire and length, with all sides that are installed, and a row beside each of them. */
export default Object.entries(protocols).flatMap(([protocol, { name: wire }]) =>
  LENGTHS.flatMap((length) => {
    const beside = Object.keys(peers).filter((id) => peers[id].wires.includes(protocol))
    let measured
    const figures = () => {
      const sides = ['ours', 'bare', ...beside.filter((id) => whyMissing(id) === undefined)]
      measured ??= cpuPerTurn({ ...length, protocol, sides })
      return measured
    }
    const row = (id, name) => ({
      id: `agent-${length.turns}-turns-${protocol}-${id}`,
      name: `CPU of a durable tool turn, ${wire}, ${length.turns.toLocaleString('en')} turns`,
      against: name,
      unit: 'ms',
      statistic: 'median',
    })
    return [
      {
        ...row('bare', 'bare undici + JSON'),
        measure: async () => (await figures()).map(({ ours, bare }) => ({ ours, limit: bare })),
      },
      ...beside.map((id) => ({
        ...row(id, peers[id].name),
        ...(id === 'ai-sdk' && { atMost: AT_MOST }),
        needsPeer: true,
        async measure() {
          const unavailable = whyMissing(id)
          if (unavailable !== undefined) return { unavailable }
          return (await figures()).map((round) => ({ ours: round.ours, limit: round[id] }))
        },
      })),
    ]
  }),
)
