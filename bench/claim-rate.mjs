import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openCrowd } from './crowd.mjs'
import { place } from './place.mjs'

const TASKS = 3000
const PROCESSES = 8
/** Boards that are worked through before the first that counts: a team lives for hours, this measurement for a second. */
const WARM = 12
const here = (name) => fileURLToPath(new URL(name, import.meta.url))

/** Eight processes work the storm's board empty; a claim and a completion are two decisions, acknowledged when durable. */
export async function openClaimRate({ mails = 0, membersEach, warm = WARM }) {
  const crews = Array.from({ length: PROCESSES }, (_, i) => Array.from({ length: membersEach }, (_, k) => `m${i}-${k}`))
  const bare = openCrowd(here('./workers/bare-appender.mjs'), PROCESSES)
  const claimers = openCrowd(here('./workers/claimer.mjs'), PROCESSES)
  let seed = 1
  const workThrough = (dir) => claimers.run(crews.map((members) => ({ dir, members, mails })))
  const onNewBoard = (use) => place({ members: crews.flat(), tasks: stormBoard(seed++) }, use)
  for (let i = 0; i < warm; i++) await onNewBoard(workThrough)

  return {
    round: () =>
      onNewBoard(async (dir) => {
        const file = join(dir, 'bare')
        const limit = await bare.run(crews.map(() => ({ file, count: (2 * TASKS) / PROCESSES })))
        const ours = await workThrough(dir)
        if (ours.done !== TASKS) throw new Error(`${ours.done} tasks were completed instead of ${TASKS}`)
        return { ours: 2 * ours.perSecond, limit: limit.perSecond }
      }),
    close: () => Promise.all([bare.close(), claimers.close()]),
  }
}

/** The board of test/storms/claims.test.ts: layers of tasks that wait for each other, many with files in common. */
function stormBoard(seed) {
  const program = here('../.build/test/board.js')
  return JSON.parse(execFileSync(process.execPath, [program, TASKS, seed], { encoding: 'utf8', maxBuffer: 2 ** 26 }))
}
