import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { crowd } from './crowd.mjs'
import { place } from './place.mjs'

const WARM = 6000
const TASKS = 3000
const PROCESSES = 8
const claimer = fileURLToPath(new URL('./workers/claimer.mjs', import.meta.url))
const appender = fileURLToPath(new URL('./workers/bare-appender.mjs', import.meta.url))

/** Eight processes work a board empty; a claim and a completion are two decisions, each acknowledged when durable. */
export function claimRate({ mails = 0, membersEach }) {
  const crews = Array.from({ length: PROCESSES }, (_, i) => Array.from({ length: membersEach }, (_, k) => `m${i}-${k}`))
  return () =>
    place({ members: crews.flat(), tasks: WARM + TASKS }, async (dir) => {
      const limit = await crowd(
        appender,
        crews.map(() => [join(dir, 'bare'), (2 * TASKS) / PROCESSES]),
      )
      const ours = await crowd(
        claimer,
        crews.map((crew) => [dir, crew.join(), mails, WARM]),
      )
      return { ours: 2 * ours.perSecond, limit: limit.perSecond }
    })
}
