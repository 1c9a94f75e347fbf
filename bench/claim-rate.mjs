import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { crowd } from './crowd.mjs'
import { place } from './place.mjs'

const TASKS = 3000
const MEMBERS = Array.from({ length: 8 }, (_, i) => `worker${i}`)
const claimer = fileURLToPath(new URL('./workers/claimer.mjs', import.meta.url))
const appender = fileURLToPath(new URL('./workers/bare-appender.mjs', import.meta.url))

/** Eight processes work a board empty; a claim and a completion are two decisions, each acknowledged when durable. */
export function claimRate(mails) {
  return () =>
    place({ members: MEMBERS, tasks: TASKS }, async (dir) => {
      const limit = await crowd(
        appender,
        MEMBERS.map(() => [join(dir, 'bare'), (2 * TASKS) / MEMBERS.length]),
      )
      const ours = await crowd(
        claimer,
        MEMBERS.map((name) => [dir, name, mails]),
      )
      if (ours.done !== TASKS) throw new Error(`${ours.done} of ${TASKS} tasks were completed`)
      return { ours: 2 * ours.perSecond, limit: limit.perSecond }
    })
}
