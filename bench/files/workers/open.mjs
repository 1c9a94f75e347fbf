// Opens a team, as every command does, and prints how many tasks it has.
import { allTasks, openFileStore, openTeam } from '../../../dist/index.js'

const store = await openFileStore({ dir: process.argv[2] })
const team = await openTeam(store, 'bench')
await team.refresh()
process.stdout.write(String(allTasks(team.state).length))
await team.close()
