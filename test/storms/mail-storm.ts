import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Store } from '../../src/journal/log/store.ts'
import { openTeam } from '../../src/journal/team-handle.ts'
import { createFleet } from './fleet.ts'
import { deliveries, drain, repeats } from './mailbox.ts'
import { openStore } from './open-store.ts'
import { type Place, TEAM } from './place.ts'
import { createRandom } from './random.ts'
import { readSideFiles } from './side-file.ts'

const WRITERS = 8
const TAKERS = 2

/** Writers send and takers read for some seconds, while one after the other is killed or stopped. */
export async function mailStorm(place: Place, seconds: number): Promise<void> {
  const random = createRandom()
  await using store = await openStore(place.store)
  await found(store)
  const fleet = createFleet(random)
  for (let i = 1; i <= WRITERS; i++) {
    const args = () => [place.store, place.beliefs, `writer${i}`, i % 2 === 0 ? 1 : 5]
    fleet.keepRunning({ name: `writer${i}`, program: 'mail-writer', args })
  }
  for (let i = 1; i <= TAKERS; i++) {
    fleet.keepRunning({
      name: `taker${i}`,
      program: 'mail-taker',
      args: () => [place.store, place.beliefs, `taker${i}`],
    })
  }
  const kills = await fleet.disturb(130, sleep(seconds * 1000))
  // On a slow machine every writer may be killed before its first message: then some are sent undisturbed.
  for (let i = 0; i < 300 && acknowledgedIn(place).length === 0; i++) await sleep(100)
  await fleet.end()
  const drained = await drain(store, 'box')

  const { records, torn, malformed } = await place.readJournal()
  const delivered = deliveries(records)
  const sides = readSideFiles(place.beliefs, 'sent-')
  const sent = sides.filter(([word]) => word === 'try').length
  const acked = acknowledgedIn(place)
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
}

/** Ids of messages whose sending was acknowledged. */
function acknowledgedIn({ beliefs }: Place): string[] {
  return readSideFiles(beliefs, 'sent-')
    .filter(([word]) => word === 'ack')
    .map(([, id]) => id!)
}

async function found(store: Store): Promise<void> {
  const team = await openTeam(store, TEAM)
  await team.run({ type: 'team.create', team: TEAM })
  await team.run({ type: 'member.join', name: 'box', role: 'reader' })
  for (let i = 1; i <= WRITERS; i++) await team.run({ type: 'member.join', name: `writer${i}`, role: 'writer' })
  await team.close()
}
