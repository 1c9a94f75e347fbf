import { beforeAll, describe, expect, it } from 'vitest'
import { openTeam } from '../../src/journal/team-handle.ts'
import { openFileStore } from '../../src/stores/files/store.ts'
import { buildWorkers, createFleet } from './fleet.ts'
import { figure, makePlace, TEAM } from './place.ts'
import { createRandom } from './random.ts'
import { readRawJournal } from './raw-journal.ts'

const FAST = 7
/** Of the slow one; the fast ones go on until it is done. */
const DECISIONS = figure('FAIR_DECISIONS', 15, 300)
/** Milliseconds between folding and writing; a fast decision takes a tenth of that. */
const SLOWNESS = 5

describe('a slow writer of decisions among fast ones', () => {
  beforeAll(buildWorkers)

  it('always wins within ten tries', { timeout: 300_000 }, async () => {
    const random = createRandom()
    using place = makePlace()
    await using store = await openFileStore({ dir: place.dir })
    const team = await openTeam(store, TEAM)
    await team.run({ type: 'team.create', team: TEAM })
    await team.run({
      type: 'task.add',
      tasks: Array.from({ length: FAST + 1 }, (_, i) => ({ subject: `of decider ${i}` })),
    })
    const before = team.cursor.seq
    const fleet = createFleet(random)
    const fast = Array.from({ length: FAST }, (_, i) => `fast${i + 1}`)
    for (const [i, name] of fast.entries()) {
      fleet.keepRunning({ name, program: 'decider', args: () => [place.dir, name, i + 2, SLOWNESS / 10, 1_000_000] })
    }
    // Where many begin at once the slow one could be done before the first of the others has begun.
    for (; team.cursor.seq === before; await team.refresh()) await team.changed(1000)
    await team.close()
    fleet.keepRunning({ name: 'slow', program: 'decider', args: () => [place.dir, 'slow', 1, SLOWNESS, DECISIONS] })
    await fleet.done(fast)
    await fleet.end()

    const { records, malformed } = readRawJournal(place.journal)
    const accepted = records.filter((record) => record.accepted && record.command === 'task.update')
    const isSlow = (record: (typeof accepted)[number]) =>
      record.events.some((event) => event.type === 'task.updated' && event.id === '1')
    const slow = accepted.filter(isSlow)
    const tries = slow.map((record) => (record.tries ?? 0) + 1)
    console.log(
      `fairness: ${slow.length} slow and ${accepted.length - slow.length} fast decisions, the slow one took ` +
        `${Math.max(...tries)} tries at most and ${(tries.reduce((a, b) => a + b, 0) / tries.length).toFixed(1)} on average`,
    )
    expect(fleet.crashes).toEqual([])
    expect(malformed).toEqual([])
    expect(slow).toHaveLength(DECISIONS)
    expect(tries.filter((count) => count > 10)).toEqual([])
    expect(accepted.length).toBeGreaterThan(slow.length)
  }) // A79, F7, F22
})
