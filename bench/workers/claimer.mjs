// One member that works through a board: completes what it holds and claims the next in one go, until nothing is left.
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isRefusal, openFileStore, openTeam } from '../../dist/index.js'

const [, , dir, name, mails] = process.argv
const as = { by: { name } }

await warmUp()
const store = await openFileStore({ dir })
const team = await openTeam(store, 'bench')
process.send('ready')
await new Promise((resolve) => process.once('message', resolve))
process.send({ done: await workThrough(team) })
await team.close()
process.disconnect()

async function workThrough(team) {
  let done = 0
  let held = must(await team.run({ type: 'task.claim' }, as)).tasks[0]
  for (; held; done++) {
    const letters = Array.from({ length: Number(mails) }, (_, i) =>
      team.send({ to: 'lead', content: `note ${i}: ${'x'.repeat(200)}` }, as),
    )
    const [completed, next] = await Promise.all([
      team.run({ type: 'task.complete', id: held.id }, as),
      team.run({ type: 'task.claim' }, as),
      ...letters,
    ])
    must(completed)
    held = must(next).tasks[0]
  }
  return done
}

/** A team lives for hours, this measurement for a second: the compiler's first second is not what it is about. */
async function warmUp() {
  const own = mkdtempSync(join(dir, 'warm-'))
  const store = await openFileStore({ dir: own, durability: 'process' })
  const team = await openTeam(store, 'bench')
  await team.run({ type: 'team.create', team: 'bench' })
  await team.run({ type: 'member.join', name, role: 'dev' })
  await team.run({ type: 'task.add', tasks: Array.from({ length: 3000 }, (_, i) => ({ subject: `task ${i}` })) })
  await workThrough(team)
  await team.close()
  rmSync(own, { recursive: true })
}

function must(answer) {
  if (isRefusal(answer)) throw new Error(answer.message)
  return answer
}
