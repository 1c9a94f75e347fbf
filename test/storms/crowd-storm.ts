import { expect } from 'vitest'
import { openTeam } from '../../src/journal/team-handle.ts'
import type { Database } from '../postgres/database.ts'
import { failedAppends } from '../postgres/server-log.ts'
import { createFleet } from './fleet.ts'
import { openStore } from './open-store.ts'
import { TEAM } from './place.ts'
import type { PostgresPlace } from './postgres-place.ts'
import { createRandom } from './random.ts'

const DECIDERS = 8
const WRITERS = 8
/** Milliseconds between folding and writing of the slow half; the others take a tenth of that. */
const SLOWNESS = 5

/** Deciders, half of them slow, and writers of mail at the same log. No process is killed or stopped; repeated attempts are counted. */
export async function crowdStorm(place: PostgresPlace, database: Database, decisions: number): Promise<void> {
  const random = createRandom()
  {
    await using store = await openStore(place.store)
    await using team = await openTeam(store, TEAM)
    await team.run({ type: 'team.create', team: TEAM })
    await team.run({ type: 'member.join', name: 'box', role: 'reader' })
    await team.run({ type: 'task.add', tasks: Array.from({ length: DECIDERS }, (_, i) => ({ subject: `task ${i}` })) })
    for (let i = 1; i <= WRITERS; i++) await team.run({ type: 'member.join', name: `writer${i}`, role: 'writer' })
  }
  const fleet = createFleet(random)
  for (let i = 1; i <= DECIDERS; i++) {
    const slowness = i % 2 === 0 ? SLOWNESS : SLOWNESS / 10
    const args = () => [place.store, `decider${i}`, i, slowness, decisions]
    fleet.keepRunning({ name: `decider${i}`, program: 'decider', args })
  }
  for (let i = 1; i <= WRITERS; i++) {
    const args = () => [place.store, place.beliefs, `writer${i}`, 1, 2 * decisions]
    fleet.keepRunning({ name: `writer${i}`, program: 'mail-writer', args })
  }
  await fleet.done()

  const { records, malformed } = await place.readJournal()
  const decided = records.filter(({ after }) => after !== undefined)
  const tries = decided.map(({ tries = 0 }) => tries + 1)
  const mails = records.length - decided.length
  const sum = tries.reduce((a, b) => a + b, 0)
  const sent = await place.countAppends()
  console.log(
    `crowd: decisions ${decided.length}, tries ${Math.max(...tries)} at most and ${(sum / tries.length).toFixed(2)} on ` +
      `average, mails ${mails}, mails tried again ${sent - sum - mails}`,
  )
  expect(fleet.crashes).toEqual([])
  expect(malformed).toEqual([])
  expect(decided.filter(({ command }) => command === 'task.update')).toHaveLength(DECIDERS * decisions)
  expect(mails).toBe(WRITERS * 2 * decisions)
  expect(tries.filter((count) => count > 10)).toEqual([])
  // Every sending that the server carried out is one try of a decision or one mail, and none was carried out in vain.
  expect(sent).toBe(sum + mails)
  expect(await failedAppends(database, place.schema)).toEqual([])
}
