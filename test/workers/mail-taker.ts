import { setTimeout as sleep } from 'node:timers/promises'
import { openTeam } from '../../src/journal/team-handle.ts'
import { isRefusal } from '../../src/team/refusal.ts'
import { refusalText } from '../../src/team/refusal-text.ts'
import { openStore } from '../storms/open-store.ts'
import { TEAM } from '../storms/place.ts'
import { sideFile } from '../storms/side-file.ts'

/** The steps of `inbox box --take` without end: have mail assigned, note it, acknowledge it, note what counted. */
const [place = '', beliefs = '', name = ''] = process.argv.slice(2)
process.on('disconnect', () => process.exit(0))
const note = sideFile(`${beliefs}/taken-${name}-${process.pid}`)
const store = await openStore(place, { views: true })
const team = await openTeam(store, TEAM)

for (let round = 0; ; round++) {
  const limit = 1 + ((round * 37) % 200)
  const answer = await team.run({ type: 'mail.take', member: 'box', taker: store.presence.self, limit })
  if (isRefusal(answer)) throw new Error(refusalText(answer))
  const { take, messages } = answer.mail!
  if (messages.length === 0) {
    await team.changed(50)
    continue
  }
  for (const { id, redelivered } of messages) note('took', id, redelivered ? 'again' : 'first')
  const ids = messages.map((message) => message.id)
  // A reader needs its time between being given mail and acknowledging it; that is when it should be killed.
  if (round % 3 === 0) await sleep(30)
  for (const { id, outcome } of await team.acknowledge('box', ids, take)) {
    if (outcome === 'delivered') note('ack', id)
  }
}
