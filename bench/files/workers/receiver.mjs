// Waits for messages and reports when it saw each of them, on the clock that all processes of this machine share.
import { openFileStore, openTeam, unreadOf } from '../../../dist/index.js'

const store = await openFileStore({ dir: process.argv[2] })
const team = await openTeam(store, 'bench')
const seen = new Set()
await team.refresh()
process.send('ready')
for (;;) {
  await team.changed(60_000)
  await team.refresh()
  const awake = process.hrtime.bigint()
  for (const { message } of unreadOf(team.state, 'lead')) {
    if (seen.has(message.id)) continue
    seen.add(message.id)
    if (message.content === 'stop') process.exit(0)
    process.send({ content: message.content, awake: String(awake) })
  }
}
