// Eight teammates, twenty turns each. Over when the lead has been sent every result.
import { found, LATENCY, makespan, names, withServer, withSession } from '../team.mjs'

const [mates, turns, times] = process.argv.slice(2).map(Number)

await withServer(LATENCY, async (url) => {
  const teammates = names(mates).map((name) => ({ name, prompt: `look ${turns - 1} times` }))
  const spans = []
  for (let i = 0; i <= times; i++) {
    let left = mates
    const isOver = ({ type, event }) =>
      type === 'team' && event.type === 'message.sent' && event.message.type === 'result' && --left === 0
    spans.push(await withSession({ url }, (session) => makespan(session, teammates, isOver)))
  }
  // The first one warms up.
  await found({ ours: Math.min(...spans.slice(1)), limit: turns * LATENCY })
})
