// One member that works through the board: completes what it holds and claims the next in one go, until nothing is left.
import { isRefusal, openFileStore, openTeam } from '../../dist/index.js'

const [, , dir, name, mails] = process.argv
const store = await openFileStore({ dir })
const team = await openTeam(store, 'bench')
const as = { by: { name } }
const must = (answer) => {
  if (isRefusal(answer)) throw new Error(answer.message)
  return answer
}
process.send('ready')
await new Promise((resolve) => process.once('message', resolve))

let done = 0
let held = must(await team.run({ type: 'task.claim' }, as)).tasks[0]
while (held) {
  const letters = Array.from({ length: Number(mails) }, (_, i) =>
    team.send({ to: 'lead', content: `note ${i}: ${'x'.repeat(200)}` }, as),
  )
  const [completed, next] = await Promise.all([
    team.run({ type: 'task.complete', id: held.id }, as),
    team.run({ type: 'task.claim' }, as),
    ...letters,
  ])
  must(completed)
  done++
  held = must(next).tasks[0]
}
process.send({ done })
await team.close()
process.disconnect()
