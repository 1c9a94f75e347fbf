import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '../../src/ports/store.ts'
import { openTeam } from '../../src/runtime/team.ts'
import { openFileStore } from '../../src/stores/files/file-store.ts'
import { buildWorkers, createFleet } from './fleet.ts'
import { deliveries, drain, repeats } from './mailbox.ts'
import { figure, makePlace, TEAM } from './place.ts'
import { createRandom } from './random.ts'
import { readRawJournal } from './raw-journal.ts'
import { readSideFiles } from './side-file.ts'

const SECONDS = figure('MAIL_SECONDS', 10, 60)
const WRITERS = 8
const TAKERS = 2

describe('mail in a storm', () => {
  beforeAll(buildWorkers)

  it('loses nothing and has one reader per message while writers and takers are killed (A69, A70, B58, F1, F2, F9, F22, F34)', {
    timeout: 300_000,
  }, async () => {
    const random = createRandom()
    using place = makePlace()
    await using store = await openFileStore({ dir: place.dir })
    await found(store)
    const fleet = createFleet(random)
    for (let i = 1; i <= WRITERS; i++) {
      const args = () => [place.dir, place.beliefs, `writer${i}`, i % 2 === 0 ? 1 : 5]
      fleet.man({ name: `writer${i}`, program: 'mail-writer', args })
    }
    for (let i = 1; i <= TAKERS; i++) {
      fleet.man({ name: `taker${i}`, program: 'mail-taker', args: () => [place.dir, place.beliefs, `taker${i}`] })
    }
    const kills = await fleet.harass(130, sleep(SECONDS * 1000))
    await fleet.end()
    const drained = await drain(store, 'box')

    const { records, torn, malformed } = readRawJournal(place.journal)
    const delivered = deliveries(records)
    const sides = readSideFiles(place.beliefs, 'sent-')
    const sent = sides.filter(([word]) => word === 'try').length
    const acked = sides.filter(([word]) => word === 'ack').map(([, id]) => id!)
    const taken = readSideFiles(place.beliefs, 'taken-')
    const assigned = records
      .flatMap(({ accepted, events }) => (accepted ? events : []))
      .flatMap((event) => (event.type === 'mail.taken' ? event.ids : []))
    const redelivered = repeats(assigned).length
    const acknowledged = [...taken.filter(([word]) => word === 'ack').map(([, id]) => id!), ...drained]
    const lost = acked.filter((id) => !delivered.has(id))
    console.log(
      `mail: sent ${sent}, acked ${acked.length}, taken ${delivered.size}, redelivered ${redelivered}, ` +
        `lost ${lost.length}, torn ${torn}, malformed ${malformed.length}, kills ${kills}, seed ${random.seed}`,
    )
    expect(fleet.crashes).toEqual([])
    expect(malformed).toEqual([])
    expect(lost).toEqual([])
    expect(repeats(acked)).toEqual([])
    expect([...delivered].filter(([, times]) => times !== 1)).toEqual([])
    expect(repeats(acknowledged)).toEqual([])
    expect(acknowledged.filter((id) => !delivered.has(id))).toEqual([])
    expect(acked.length).toBeGreaterThan(0)
    expect(kills).toBeGreaterThan(0)
  })
})

async function found(store: Store): Promise<void> {
  const team = await openTeam(store, TEAM)
  await team.run({ type: 'team.create', team: TEAM })
  await team.run({ type: 'member.join', name: 'box', role: 'reader' })
  for (let i = 1; i <= WRITERS; i++) await team.run({ type: 'member.join', name: `writer${i}`, role: 'writer' })
  await team.close()
}
