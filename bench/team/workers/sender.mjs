// Another process that writes to a team: sends the messages it is given and reports when it began to send each.
import { openFileStore, openTeam } from '../../../dist/index.js'

const store = await openFileStore({ dir: process.argv[2] })
const team = await openTeam(store, process.argv[3])
await team.refresh()
process.on('message', (message) => {
  const sent = process.hrtime.bigint()
  team.send(message).then(() => process.send(String(sent)))
})
process.on('disconnect', () => process.exit(0))
process.send('ready')
