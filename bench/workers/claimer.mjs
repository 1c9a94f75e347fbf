// A runtime with some members who work through a board: each completes what it holds and claims the next in one go,
// until nothing is left. All of them share the process's one handle on the team.
import { isRefusal, openFileStore, openTeam } from '../../dist/index.js'

const [, , dir, names, mails, warm] = process.argv
const store = await openFileStore({ dir })
const team = await openTeam(store, 'bench')
const members = names.split(',')
let done = 0

// A team lives for hours, this measurement for a second: what the compiler does in its first seconds is not what it is
// about. So the crowd works the first `warm` tasks before the clock starts.
const held = await Promise.all(
  members.map((name) => workWhile(name, claim(name), (task) => Number(task.id) <= Number(warm))),
)
done = 0
process.send('ready')
await new Promise((resolve) => process.once('message', resolve))
await Promise.all(members.map((name, i) => workWhile(name, held[i], () => true)))
process.send({ done })
await team.close()
process.disconnect()

/** Returns the task it did not want to go on with, or undefined when nothing is left. */
async function workWhile(name, first, wants) {
  let task = await first
  while (task && wants(task)) {
    task = await finish(name, task)
    done++
  }
  return task
}

async function claim(name) {
  return must(await team.run({ type: 'task.claim' }, { by: { name } })).tasks[0]
}

async function finish(name, task) {
  const as = { by: { name } }
  const letters = Array.from({ length: Number(mails) }, (_, i) =>
    team.send({ to: 'lead', content: `note ${i}: ${'x'.repeat(200)}` }, as),
  )
  const complete = team.run({ type: 'task.complete', id: task.id }, as)
  const [completed, next] = await Promise.all([complete, claim(name), ...letters])
  must(completed)
  return next
}

function must(answer) {
  if (isRefusal(answer)) throw new Error(answer.message)
  return answer
}
