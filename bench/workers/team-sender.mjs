// Another process that writes to a team: sends what it is told to and says when it began.
import { openFileStore, openTeam } from '../../dist/index.js'

const store = await openFileStore({ dir: process.argv[2] })
const team = await openTeam(store, process.argv[3])
await team.refresh()
process.on('message', (letter) => {
  const sent = process.hrtime.bigint()
  team.send(letter).then(() => process.send(String(sent)))
})
process.on('disconnect', () => process.exit(0))
process.send('ready')
