// Teammates that take so many turns each. Ends when every result was sent to the lead.
import { bestSpan, makespan, names, report, withSession } from '../session.mjs'

const [mates, turns, times] = process.argv.slice(2).map(Number)
const teammates = names(mates).map((name) => ({ name, prompt: `read ${turns - 1} times` }))

const best = await bestSpan(times, turns, (url) => {
  let left = mates
  const isOver = ({ type, event }) =>
    type === 'team' && event.type === 'message.sent' && event.message.type === 'result' && --left === 0
  return withSession({ url }, (session) => makespan(session, teammates, isOver))
})
await report(best)
