import { openTeam } from '../../src/journal/team-handle.ts'
import { realDisk } from '../../src/stores/files/disk.ts'
import { openFileStore } from '../../src/stores/files/store.ts'
import { openViews } from '../../src/stores/files/views/views.ts'
import { unreadOf } from '../../src/team/state.ts'
import { TEAM } from '../storms/place.ts'

/** Brings in what others leave in the mailbox files, writes mail of its own between, and reads some, without end. */
const [dir = ''] = process.argv.slice(2)
process.on('disconnect', () => process.exit(0))
const views = openViews({ dir, team: TEAM, disk: realDisk, warn: () => {} })
const store = await openFileStore({ dir, durability: 'process', views: () => views })
const team = await openTeam(store, TEAM)

for (let round = 0; ; round++) {
  await team.ingest()
  if (round % 2 === 0) await team.send({ to: 'box', content: `own ${process.pid} ${round}` })
  const ids = unreadOf(team.state, 'box').map(({ message }) => message.id)
  if (round % 3 === 0) await team.acknowledge('box', ids.slice(0, 1 + ids.length / 2), null)
  await views.write(team.state, team.cursor)
  await views.inboxChanged(round % 5 === 0 ? 20 : 2)
}
