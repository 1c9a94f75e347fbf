// How the cost of a board grows with its size: each row compares a large board with a smaller one, in CPU time.
import { isRefusal, openMemoryStore, openTeam } from '../../dist/index.js'

/** So many tasks are added with one command: a record holds at most 16 MB. */
const BATCH = 5_000
const TURNS = 300

/** CPU milliseconds of a member that claims and completes one task after the other of a chain of this length. */
async function chainTurns(length) {
  return withTeam(async (team) => {
    for (let from = 1; from <= length; from += BATCH) {
      const ids = Array.from({ length: Math.min(BATCH, length - from + 1) }, (_, i) => from + i)
      const tasks = ids.map((id) => ({ subject: `step ${id}`, blockedBy: id === 1 ? [] : [String(id - 1)] }))
      await run(team, { type: 'task.add', tasks })
    }
    const as = { by: { name: 'ada' } }
    return cpuOf(async () => {
      for (let i = 0; i < TURNS; i++) {
        const { tasks } = await run(team, { type: 'task.claim' }, as)
        await run(team, { type: 'task.complete', id: tasks[0].id }, as)
        await run(team, { type: 'task.add', tasks: [{ subject: 'found on the way', blockedBy: [String(length)] }] })
      }
    })
  })
}

/** CPU milliseconds of adding so many tasks that wait for the same one, some with each command. */
async function fanOut(count, atOnce) {
  return withTeam(async (team) => {
    await run(team, { type: 'task.add', tasks: [{ subject: 'first' }] })
    return cpuOf(async () => {
      for (let added = 0; added < count; added += atOnce) {
        const tasks = Array.from({ length: atOnce }, () => ({ subject: 'next', blockedBy: ['1'] }))
        await run(team, { type: 'task.add', tasks })
      }
    })
  })
}

/** CPU milliseconds of claims by a member of one role while so many ready tasks are for another. */
async function otherRoles(count) {
  return withTeam(async (team) => {
    for (let added = 0; added < count; added += BATCH) {
      const tasks = Array.from({ length: Math.min(BATCH, count - added) }, () => ({ subject: 'x', role: 'qa' }))
      await run(team, { type: 'task.add', tasks })
    }
    await run(team, { type: 'task.add', tasks: [{ subject: 'its own', role: 'dev', priority: 0 }] })
    const as = { by: { name: 'ada' } }
    return cpuOf(async () => {
      for (let i = 0; i < TURNS; i++) {
        const { tasks } = await run(team, { type: 'task.claim' }, as)
        await run(team, { type: 'task.release', id: tasks[0].id }, as)
      }
    })
  })
}

async function withTeam(work) {
  const store = await openMemoryStore()
  const team = await openTeam(store, 'bench')
  try {
    await run(team, { type: 'team.create', team: 'bench' })
    await run(team, { type: 'member.join', name: 'ada', role: 'dev' })
    return await work(team)
  } finally {
    await team.close()
    await store[Symbol.asyncDispose]()
  }
}

async function run(team, command, as) {
  const answer = await team.run(command, as)
  if (isRefusal(answer)) throw new Error(`${command.type} was refused: ${answer.code}`)
  return answer
}

async function cpuOf(work) {
  const begin = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(begin)
  return (user + system) / 1000
}

export default [
  {
    id: 'board-chain',
    name: `${TURNS} claims, completions and additions on a chain of 100,000 tasks`,
    against: 'on a chain of 10,000',
    unit: 'ms CPU',
    atMost: 2.2,
    round: async () => ({ limit: await chainTurns(10_000), ours: await chainTurns(100_000) }),
  },
  {
    id: 'board-fan-out',
    name: '20,000 tasks that wait for one, added 100 at a time',
    against: '10,000 tasks',
    unit: 'ms CPU',
    atMost: 2.2,
    round: async () => ({ limit: await fanOut(10_000, 100), ours: await fanOut(20_000, 100) }),
  },
  {
    id: 'board-fan-out-singly',
    name: '20,000 tasks that wait for one, added one by one',
    against: '10,000 tasks',
    unit: 'ms CPU',
    atMost: 2.2,
    round: async () => ({ limit: await fanOut(10_000, 1), ours: await fanOut(20_000, 1) }),
  },
  {
    id: 'board-other-roles',
    name: `${TURNS} claims with 50,000 ready tasks of another role`,
    against: 'with 500',
    unit: 'ms CPU',
    atMost: 2.2,
    round: async () => ({ limit: await otherRoles(500), ours: await otherRoles(50_000) }),
  },
]
