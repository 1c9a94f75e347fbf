// A member in its own process: works through the board, or sends messages until every task is completed.
import { isRefusal, openPostgresStore, openTeam } from '../../../dist/index.js'
import { runRounds } from '../../worker-rounds.mjs'

await runRounds(async ({ url, name, sends }) => {
  const store = await openPostgresStore({ url })
  const team = await openTeam(store, 'bench')
  await team.refresh()
  return async () => {
    const done = await (sends ? send(team, name) : workThrough(team, name))
    await team.close()
    await store[Symbol.asyncDispose]()
    return done
  }
})

async function workThrough(team, name) {
  const as = { by: { name } }
  const claim = async () => must(await team.run({ type: 'task.claim' }, as)).tasks[0]
  let done = 0
  let task = await claim()
  while (task) {
    const complete = team.run({ type: 'task.complete', id: task.id }, as)
    const [completed, next] = await Promise.all([complete, claim()])
    must(completed)
    done++
    task = next
  }
  return done
}

async function send(team, name) {
  for (let i = 0; !isDone(team); i++) {
    must(await team.send({ to: 'lead', content: `note ${i}: ${'x'.repeat(200)}` }, { by: { name } }))
  }
  return 0
}

function isDone(team) {
  for (const task of team.state.tasks.values()) if (task.status !== 'completed') return false
  return true
}

function must(answer) {
  if (isRefusal(answer)) throw new Error(answer.message)
  return answer
}
