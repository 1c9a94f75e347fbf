// A runtime with some members who work through a board: each completes what it holds and claims the next in one go,
// until nothing is left. All of them share the process's one handle on the team.
import { isRefusal, openFileStore, openTeam } from '../../dist/index.js'
import { takePart } from './rounds.mjs'

await takePart(async ({ dir, members, mails }) => {
  const store = await openFileStore({ dir })
  const team = await openTeam(store, 'bench')
  return async () => {
    const done = await Promise.all(members.map((name) => workThrough(team, name, mails)))
    await team.close()
    await store[Symbol.asyncDispose]()
    return done.reduce((sum, count) => sum + count, 0)
  }
})

async function workThrough(team, name, mails) {
  const as = { by: { name } }
  const claim = async () => must(await team.run({ type: 'task.claim' }, as)).tasks[0]
  let done = 0
  let held = await claim()
  while (held || !isDone(team)) {
    if (!held) {
      await team.changed(2000)
      held = await claim()
      continue
    }
    const letters = Array.from({ length: mails }, (_, i) =>
      team.send({ to: 'lead', content: `note ${i}: ${'x'.repeat(200)}` }, as),
    )
    const complete = team.run({ type: 'task.complete', id: held.id }, as)
    const [completed, next] = await Promise.all([complete, claim(), ...letters])
    must(completed)
    done++
    held = next
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
