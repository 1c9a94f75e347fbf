import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openTeamIn, withTeam } from './temporary-team.mjs'

const open = fileURLToPath(new URL('./workers/open.mjs', import.meta.url))
const EVENTS = 100_000
const TASKS = 2_000

/** Milliseconds of a process that opens a team of 100,000 events, and of one that does nothing. */
export async function openingTimes({ keepSnapshot, runs }) {
  return withTeam({ members: ['ada', 'bob'], tasks: TASKS }, async (dir) => {
    await openTeamIn(dir, fill, { durability: 'process' })
    rmSync(join(dir, '.teams', 'bench', 'snapshot.json'), { force: true })
    // A process that folds so much writes a snapshot for the next.
    if (keepSnapshot) await openTeamIn(dir, (team) => team.refresh())
    const ours = []
    const limit = []
    for (let i = 0; i < runs; i++) {
      limit.push(time(['-e', '0']))
      ours.push(time([open, dir], String(TASKS)))
      if (!keepSnapshot) rmSync(join(dir, '.teams', 'bench', 'snapshot.json'), { force: true })
    }
    return { ours: Math.min(...ours), limit: Math.min(...limit) }
  })
}

/** Messages that are read, tasks that are claimed and released: what the journal of a busy team consists of. */
async function fill(team) {
  const as = { by: { name: 'ada' } }
  for (let events = TASKS; events < EVENTS; ) {
    const messages = Array.from({ length: 40 }, (_, i) =>
      team.send({ to: 'bob', content: `note ${i} `.repeat(20) }, as),
    )
    const { tasks } = await team.run({ type: 'task.claim' }, as)
    await team.run({ type: 'task.release', id: tasks[0].id }, as)
    const sent = (await Promise.all(messages)).map(([effect]) => effect.id)
    await team.acknowledge('bob', sent, null, { by: { name: 'bob' } })
    // The acknowledgement is one event for forty messages; the others make up the number.
    events += 43
  }
}

function time(args, expected) {
  const begin = performance.now()
  const printed = execFileSync(process.execPath, args, { encoding: 'utf8' })
  const milliseconds = performance.now() - begin
  if (expected !== undefined && printed !== expected) throw new Error(`it printed ${printed} instead of ${expected}`)
  return milliseconds
}
