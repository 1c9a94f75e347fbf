import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startWorkers } from '../worker-group.mjs'
import { withTeam } from './temporary-team.mjs'

const TASKS = 3000
const PROCESSES = 8
/** Boards worked through before the first that counts, because real processes run for hours and are compiled by then. */
const WARM_UP_BOARDS = 12
const here = (name) => fileURLToPath(new URL(name, import.meta.url))

/** Decisions per second of eight processes that work through a board. A claim and a completion are two, each durable. */
export async function openClaimRate({ messages = 0, membersEach, warmUpBoards = WARM_UP_BOARDS }) {
  const memberNames = Array.from({ length: PROCESSES }, (_, i) =>
    Array.from({ length: membersEach }, (_, k) => `m${i}-${k}`),
  )
  const bare = startWorkers(here('./workers/bare-appender.mjs'), PROCESSES)
  const claimers = startWorkers(here('./workers/claimer.mjs'), PROCESSES)
  let seed = 1
  const workThrough = (dir) => claimers.run(memberNames.map((members) => ({ dir, members, messages })))
  const onNewBoard = (use) => withTeam({ members: memberNames.flat(), tasks: stormBoard(seed++) }, use)
  for (let i = 0; i < warmUpBoards; i++) await onNewBoard(workThrough)

  return {
    round: () =>
      onNewBoard(async (dir) => {
        const file = join(dir, 'bare')
        const limit = await bare.run(memberNames.map(() => ({ file, count: (2 * TASKS) / PROCESSES })))
        const ours = await workThrough(dir)
        if (ours.done !== TASKS) throw new Error(`${ours.done} tasks were completed instead of ${TASKS}`)
        return { ours: 2 * ours.perSecond, limit: limit.perSecond }
      }),
    close: () => Promise.all([bare.close(), claimers.close()]),
  }
}

/** The board of test/storms/claims.test.ts: layers of tasks that depend on each other, many with files in common. */
function stormBoard(seed) {
  const program = here('../../.build/test/board.js')
  return JSON.parse(execFileSync(process.execPath, [program, TASKS, seed], { encoding: 'utf8', maxBuffer: 2 ** 26 }))
}
