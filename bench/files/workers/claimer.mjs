// A process with some members that work through a board: each completes its task and claims the next at the same time,
// until none is left. All of them share the process's one handle on the team.
import { isRefusal, openFileStore, openTeam } from '../../../dist/index.js'
import { runRounds } from '../../worker-rounds.mjs'

await runRounds(async ({ dir, members, messages }) => {
  const store = await openFileStore({ dir })
  const team = await openTeam(store, 'bench')
  return async () => {
    const done = await Promise.all(members.map((name) => workThrough(team, name, messages)))
    await team.close()
    await store[Symbol.asyncDispose]()
    return done.reduce((sum, count) => sum + count, 0)
  }
})

async function workThrough(team, name, messages) {
  const as = { by: { name } }
  const claim = async () => must(await team.run({ type: 'task.claim' }, as)).tasks[0]
  let done = 0
  let task = await claim()
  while (task || !isDone(team)) {
    if (!task) {
      await team.changed(2000)
      task = await claim()
      continue
    }
    const sent = Array.from({ length: messages }, (_, i) =>
      team.send({ to: 'lead', content: `note ${i}: ${'x'.repeat(200)}` }, as),
    )
    const complete = team.run({ type: 'task.complete', id: task.id }, as)
    const [completed, next] = await Promise.all([complete, claim(), ...sent])
    must(completed)
    done++
    task = next
  }
  return done
}

function isDone(team) {
  for (const task of team.state.tasks.values()) if (task.status !== 'completed') return false
  return true
}

function must(answer) {
  if (isRefusal(answer)) throw new Error(answer.message)
  return answer
}
